/** The form that many addresses share: what counts up, dates or identifies is folded, query values are left out. */
import { isTrackingParameter, parameterNames } from "./url-parameters.ts";

export interface UrlTemplate {
  /** "/calendar/{date}?view"; bounded. */
  form: string;
  /** Parts that can take another value without end: folded pieces of the path. */
  pathVariables: number;
  parameters: number;
  /** A session id or campaign tag is among them. */
  hasSession: boolean;
}

const MAX_FORM = 300;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const DATE = /(?<!\d)\d{4}[-_.]\d{1,2}(?:[-_.]\d{1,2})?(?!\d)/g;
/** Hexadecimal identifiers: long, and with at least one digit, so that no word is one. */
const HEX_ID = /(?<![0-9a-z])(?=[a-f]*\d)[0-9a-f]{16,}(?![0-9a-z])/gi;
const MONTH =
  /(?<![a-z])(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])/gi;
const SESSION = /;(?:jsessionid|phpsessid|sid)=[^/;]*/gi;

/** The template of an address of the site; the host is left out. */
export function urlTemplate(url: URL): UrlTemplate {
  const path = url.pathname
    .replace(SESSION, ";{session}")
    .replace(UUID, "{id}")
    .replace(HEX_ID, "{id}")
    .replace(DATE, "{date}")
    .replace(/\d+/g, "{n}");
  const names = parameterNames(url);
  const distinct = [...new Set(names)].toSorted();
  const query = distinct.length > 0 ? `?${distinct.join("&")}` : "";
  return {
    form: (path + query).slice(0, MAX_FORM),
    pathVariables: path.match(/\{(?:session|id|date|n)\}/g)?.length ?? 0,
    parameters: names.length,
    hasSession: path.includes("{session}") || names.some(isTrackingParameter),
  };
}

/** A page's words without what a calendar or a counter changes in them: numbers, months. */
export function foldText(text: string): string {
  return text.slice(0, 500).toLowerCase().replace(MONTH, "month").replace(/\d+/g, "0").replace(/\s+/g, " ").trim();
}
