/**
 * A short key under which equal texts meet: case, width and white space do not count (NFKC), the language does. 64 bits
 * as hex, by two FNV-like lanes: good against chance, and nobody gains anything from a collision.
 */
export function hashKey(text: string | null | undefined, lang?: string | null): string | null {
  const normal = (text ?? "").normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
  if (normal === "") return null;
  const primary = (lang ?? "").toLowerCase().split("-")[0] ?? "";
  let a = 0x811c9dc5;
  let b = 0x01000193;
  const whole = `${primary}\n${normal}`;
  for (let i = 0; i < whole.length; i += 1) {
    const code = whole.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 13);
  }
  const hex = (lane: number): string => (lane >>> 0).toString(16).padStart(8, "0");
  return hex(a) + hex(b);
}
