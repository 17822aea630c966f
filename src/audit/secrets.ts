/**
 * Custom headers and basic auth of an audit. They are kept encrypted (AES-GCM) with a key derived from the Worker's
 * SECRET_KEY, opened only inside a step, sent to the audited host only, and never shown.
 */
import type { Env } from "../env.ts";

export type SecretHeaders = Readonly<Record<string, string>>;

async function keyOf(secret: string): Promise<CryptoKey> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`pulse-audit secrets ${secret}`));
  return crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"]);
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

/** The secret that seals; null where none is configured, and then no audit can carry secrets. */
export const sealingSecret = (env: Env): string | null => env.SECRET_KEY || env.ADMIN_TOKEN || null;

export async function sealSecrets(headers: SecretHeaders, secret: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const text = new TextEncoder().encode(JSON.stringify(headers));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await keyOf(secret), text);
  return `${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`;
}

/** Null: the audit has none. Throws when they cannot be opened: the key has changed since. */
export async function openSecrets(sealed: string | null, env: Env): Promise<SecretHeaders | null> {
  if (sealed === null) return null;
  const secret = sealingSecret(env);
  const [iv, body] = sealed.split(".");
  if (secret === null || iv === undefined || body === undefined)
    throw new Error("the audit's secret headers cannot be opened");
  const opened = await crypto.subtle
    .decrypt({ name: "AES-GCM", iv: fromBase64(iv) }, await keyOf(secret), fromBase64(body))
    .catch(() => {
      throw new Error("the audit's secret headers cannot be opened: SECRET_KEY has changed since it was started");
    });
  return JSON.parse(new TextDecoder().decode(opened)) as SecretHeaders;
}
