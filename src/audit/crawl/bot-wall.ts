/** Tells a site that does not want to be crawled from a page that is broken. */

/** Statuses behind which a wall may stand; 999 is LinkedIn's. */
export const mayShowBotWall = (status: number): boolean => [401, 403, 429, 451, 503, 999].includes(status);

/** What challenge pages of the common services say. */
const CHALLENGES: readonly (readonly [RegExp, string])[] = [
  [/cf-chl|challenge-platform|Just a moment\.\.\.|Attention Required! \| Cloudflare/i, "a Cloudflare challenge page"],
  [/error (code:? ?)?10(15|20)\b/i, "a Cloudflare rate limit or access rule"],
  [/_Incapsula_Resource|Incapsula incident/i, "an Imperva challenge page"],
  [/px-captcha|perimeterx/i, "a HUMAN challenge page"],
  [/datadome/i, "a DataDome challenge page"],
  [/akamai.{0,40}reference|Reference&#32;&#35;|Access Denied.{0,200}edgesuite/is, "an Akamai refusal"],
  [/g-recaptcha|h-captcha|hcaptcha|turnstile/i, "a captcha"],
];

/**
 * Evidence that the site refuses our crawler, or null: an ordinary 503 without a challenge is an error of the server.
 * A final 401, 403, 429, 451 or 999 counts without a challenge (the catalogue: http.blocked).
 */
export function botWallEvidence(status: number, headers: Headers, bodyStart: string): string | null {
  const mitigated = headers.get("cf-mitigated");
  if (mitigated !== null) return `status ${status} with cf-mitigated: ${mitigated.slice(0, 60)}`;
  const challenge = CHALLENGES.find(([pattern]) => pattern.test(bodyStart))?.[1];
  if (challenge !== undefined) return `status ${status} with ${challenge}`;
  return status === 503 ? null : `status ${status}`;
}
