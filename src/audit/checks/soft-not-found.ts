/**
 * What a page says that does not exist although its status says it does. Only the title and the h1 are read, and only
 * when the phrase is all that they say, or all that a part of the title says: an article about 404 errors is not missing.
 */
import type { HtmlFacts } from "../crawl/html-facts.ts";

const THING = "(?:page|site|file|document|content|url|product|article|post|item|resource|view)";

/** Phrases by language; `*` for those that all languages use. */
const PHRASES: readonly (readonly [lang: string, phrase: RegExp])[] = [
  ["*", /^(?:http )?(?:error )?404(?: error)?$/],
  ["*", /^(?:error )?404 (?:error )?(?:not found|(?:the )?page (?:could )?not (?:be )?found|page not found)$/],
  ["*", /^(?:error 404 )?not found(?: 404)?$/],
  ["*", new RegExp(`^(?:404 )?(?:(?:the|this|requested|your) )*${THING} (?:(?:was |is |could |can )?not|cannot|can't|can’t|couldn't|couldn’t|wasn't|wasn’t) (?:be )?found(?: 404)?$`)],
  ["en", new RegExp(`^(?:(?:sorry|oops|whoops) )*(?:we )?(?:(?:can't|can’t|cannot|couldn't|couldn’t|could not) find) (?:the|that|this) ${THING}(?: you(?:'re|’re| are) looking for)?$`)],
  ["en", new RegExp(`^(?:(?:sorry|oops|whoops) )*(?:the|this|that) ${THING}(?: you(?:'re|’re| are) looking for)? (?:does not|doesn't|doesn’t|no longer) exists?$`)],
  ["en", new RegExp(`^(?:(?:sorry|oops|whoops) )*(?:the|this|that) ${THING}(?: you(?:'re|’re| are) looking for)? (?:could not|couldn't|couldn’t|was not|can't|can’t|cannot) (?:be )?found$`)],
  ["de", /^(?:(?:fehler )?404 )?(?:(?:die|diese|angeforderte) )*(?:seite|datei|artikel|inhalt|produkt) (?:wurde |konnte )?(?:leider )?nicht (?:gefunden(?: werden)?|verfügbar)$/],
  ["fr", /^(?:(?:erreur )?404 )?(?:(?:la|cette|oups) )*(?:page|ressource) (?:est )?(?:demandée )?(?:est )?(?:non trouvée|introuvable|n['’]existe (?:pas|plus)|n['’]a pas été trouvée)$/],
  ["es", /^(?:(?:error )?404 )?(?:(?:la|esta) )*página (?:solicitada )?no (?:encontrada|existe|se ha encontrado|fue encontrada)$/],
  ["it", /^(?:(?:errore )?404 )?(?:la )?pagina (?:richiesta )?(?:non (?:trovata|esiste|è stata trovata))$/],
  ["pt", /^(?:(?:erro )?404 )?(?:(?:a|esta) )*página (?:solicitada )?não (?:encontrada|existe|foi encontrada)$/],
  ["nl", /^(?:(?:fout )?404 )?(?:(?:de|deze) )*pagina (?:is |werd )?niet gevonden$/],
  ["pl", /^(?:(?:błąd )?404 )?(?:(?:ta) )*strona (?:nie (?:została )?(?:znaleziona|istnieje)|nie odnaleziona)$|^nie znaleziono strony$/],
  ["ru", /^(?:(?:ошибка )?404 )?(?:(?:эта|запрашиваемая) )*страница не (?:найдена|существует)$/],
  ["sv", /^(?:404 )?sidan (?:kunde inte hittas|hittades inte|finns inte)$/],
  ["da", /^(?:404 )?siden (?:blev |kunne )?(?:ikke )(?:fundet|findes)$/],
  ["fi", /^(?:404 )?sivua ei (?:löytynyt|löydy)$/],
  ["cs", /^(?:404 )?stránka (?:nebyla nalezena|nenalezena|neexistuje)$/],
  ["tr", /^(?:404 )?sayfa bulunamadı$/],
  ["ja", /^(?:404 )?(?:お探しの)?ページ(?:が|は)?(?:見つかりません|見つかりませんでした|存在しません)(?:でした)?$/],
  ["zh", /^(?:404 )?(?:页面不存在|找不到页面|页面未找到|您访问的页面不存在|找不到網頁|頁面不存在)$/],
  ["ko", /^(?:404 )?페이지를 찾을 수 없습니다$/],
]; // prettier-ignore

const MAX_PHRASE = 90;
const SEPARATORS = /\s+[-–—|·•:»«/]+\s+|\s*[|·•»«]\s*/;

/** Lower case, without punctuation, white space collapsed: what the phrases are written in. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[.,:;!?¡¿"“”()[\]#_\-–—|…]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** The title's parts ("Page not found - Acme"), and all of it. */
function candidates(text: string): string[] {
  return [text, ...text.split(SEPARATORS)].map(plain).filter((part) => part !== "" && part.length <= MAX_PHRASE);
}

/** A page that says more than this is about something, even if part of its title reads like an error. */
const FEW_WORDS = 150;

/** The words by which a page says that it does not exist; null when it says no such thing. */
export function notFoundPhrase(html: HtmlFacts): string | null {
  const lang = html.lang?.slice(0, 2).toLowerCase() ?? "";
  // English phrases are on pages of every language: servers and frameworks speak it.
  const spoken = PHRASES.filter(([of]) => of === "*" || of === "en" || lang === "" || of === lang);
  const says = (text: string) => spoken.some(([, phrase]) => phrase.test(text));
  const title = (html.titles[0] ?? "").slice(0, 300);
  const h1 = (html.h1s[0] ?? "").slice(0, 300);
  const titleSays = candidates(title).some(says);
  const h1Says = h1.length <= MAX_PHRASE && says(plain(h1));
  if (titleSays && h1Says) return title.slice(0, 200);
  if ((!titleSays && !h1Says) || html.wordCount >= FEW_WORDS) return null;
  return (titleSays ? title : h1).slice(0, 200);
}
