/** Cookies of the product's own. On https their names carry __Host-, so that no neighbouring host can set them. */

const isSecure = (request: Request): boolean => new URL(request.url).protocol === "https:";
const fullName = (request: Request, name: string): string => (isSecure(request) ? `__Host-${name}` : name);

/** Values are read no longer than this; ours are shorter. Characters. */
const MAX_LENGTH = 400;

export function readCookie(request: Request, name: string): string | null {
  const wanted = `${fullName(request, name)}=`;
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const pair = part.trim();
    if (pair.startsWith(wanted)) return pair.length - wanted.length > MAX_LENGTH ? null : pair.slice(wanted.length);
  }
  return null;
}

/** A Set-Cookie value. `maxAge` in seconds; absent: until the browser is closed; 0 takes the cookie away. */
export function setCookie(
  request: Request,
  name: string,
  value: string,
  { maxAge, sameSite }: { maxAge?: number; sameSite: "Lax" | "Strict" },
): string {
  const age = maxAge === undefined ? "" : `; Max-Age=${maxAge}`;
  return `${fullName(request, name)}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${age}${isSecure(request) ? "; Secure" : ""}`;
}
