const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** 80 random bits in Crockford's base 32: short enough to read out, and valid in an instance id. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => ALPHABET[byte & 31]).join("");
}
