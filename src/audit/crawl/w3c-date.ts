/** Dates as sitemaps write them: https://www.w3.org/TR/NOTE-datetime. */

const FORM = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2}))?)?)?$/;

/** Milliseconds since the epoch, the earliest that the text can mean; null for anything that is no W3C date. */
export function parseW3cDate(text: string): number | null {
  const match = FORM.exec(text);
  if (match === null) return null;
  const part = (index: number, otherwise: number): number => Number(match[index] ?? otherwise);
  const [year, month, day] = [part(1, 0), part(2, 1), part(3, 1)];
  const [hour, minute, second] = [part(4, 0), part(5, 0), part(6, 0)];
  // 24:00 is midnight; a leap second may be written.
  if (hour > 24 || (hour === 24 && minute + second > 0) || minute > 59 || second > 60) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A month or day that does not exist has moved on to another month.
  if (date.getUTCMonth() !== month - 1) return null;
  const zone = /^([+-])(\d{2}):(\d{2})$/.exec(match[8] ?? "");
  const offset = zone === null ? 0 : (Number(zone[2]) * 60 + Number(zone[3])) * (zone[1] === "-" ? -1 : 1);
  const fraction = Math.floor(Number(`0.${match[7] ?? "0"}`) * 1_000);
  return date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1_000 + fraction;
}
