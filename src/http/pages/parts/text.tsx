/** Text that came from a crawled site: shown as it is, never as markup, and unable to disguise itself. */
import type { Child, FC } from "hono/jsx";
import { displayUrl } from "../../../audit/crawl/url-display.ts";

/** Controls, bidirectional overrides and isolates, invisible marks. Joiners are text. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what it is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/** Crawled text without what could reorder or hide what stands beside it. */
export const plain = (text: string): string => text.toWellFormed().replace(UNSEEN, "\ufffd");

/** Crawled words. `limit` is in characters. */
export const Crawled: FC<{ text: string; limit?: number }> = ({ text, limit = 500 }) => (
  <bdi>{plain(text.length > limit ? `${text.slice(0, limit - 1)}…` : text)}</bdi>
);

/** Places where a long address may break: copying it brings none of them along. */
function breakable(text: string): Child[] {
  const parts = text.split(/(?<=[/?&=._-])(?=[^/?&=._-])/u);
  return parts.flatMap((part, at): Child[] => (at === 0 ? [part] : [<wbr />, part]));
}

/** An address as people read it, which wraps and copies whole. */
export const Address: FC<{ url: string; base?: string | null }> = ({ url, base }) => {
  const shown = displayUrl(url);
  const site = base == null ? null : displayUrl(base).replace(/\/$/, "");
  const short = site !== null && shown.startsWith(`${site}/`) ? shown.slice(site.length) : shown;
  return <bdi class="address">{breakable(plain(short))}</bdi>;
};

/** Only http and https addresses become links; null: show it as text. */
export function safeHref(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.protocol === "http:" || parsed.protocol === "https:") ? parsed.href : null;
}

/** A link to an address of the crawled web. It learns nothing of where it was clicked. */
export const Outward: FC<{ url: string; children?: Child }> = ({ url, children }) => {
  const href = safeHref(url);
  const content = children ?? <Address url={url} />;
  if (href === null) return <>{content}</>;
  return (
    <a href={href} rel="noreferrer nofollow noopener" class="outward">
      {content}
    </a>
  );
};

/** "Copy" appears where a script can do it. */
export const Copy: FC<{ text: string; what: string }> = ({ text, what }) => (
  <button type="button" class="copy" data-copy={text} aria-label={`Copy ${what}`} hidden>
    Copy
  </button>
);
