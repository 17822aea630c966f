/** The few cryptographic words of the door, over Web Crypto. */

const encoder = new TextEncoder();

export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Compared by hash, so that the time it takes says nothing about the secret. */
export async function sameSecret(a: string, b: string): Promise<boolean> {
  const digest = (text: string) => crypto.subtle.digest("SHA-256", encoder.encode(text));
  const [one, other] = await Promise.all([digest(a), digest(b)]);
  return crypto.subtle.timingSafeEqual(one, other);
}

/** HMAC-SHA-256, base64url. */
export async function sign(key: string, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", encoder.encode(key), algorithm, false, ["sign"]);
  return base64url(new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(text))));
}

/** `bytes` random bytes, base64url. */
export const randomText = (bytes: number): string => base64url(crypto.getRandomValues(new Uint8Array(bytes)));

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
