/** The Retry-After header. */

const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/i;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}T/;
const DURATION = /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/i;

/**
 * Milliseconds from `now` (milliseconds since the epoch) until the server wants to be asked again: seconds or an HTTP
 * date (RFC 9110, 10.2.3), and "1m30s" as some services send it. A time in the past is 0. Null: absent or unreadable.
 * Not capped: whoever waits must cap.
 */
export function parseRetryAfter(header: string | null, now: number): number | null {
  const text = (header ?? "").trim().slice(0, 100);
  if (text === "") return null;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  const units = DURATION.exec(text);
  if (units !== null) {
    const [hours, minutes, seconds, ms] = units.slice(1).map((part) => Number(part ?? 0));
    return Math.ceil(((hours! * 60 + minutes!) * 60 + seconds!) * 1_000 + ms!);
  }
  if (!HTTP_DATE.test(text) && !ISO_DATE.test(text)) return null;
  // The old C form has no zone and means GMT.
  const at = Date.parse(/\d{2}:\d{2}:\d{2} \d{4}$/.test(text) ? `${text} GMT` : text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
