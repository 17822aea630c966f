/** Walks the objects of a JSON-LD document, within bounds. */

export type JsonLdObject = Readonly<Record<string, unknown>>;

const MAX_OBJECTS = 2_000;
const MAX_DEPTH = 12;

export const isObject = (value: unknown): value is JsonLdObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One value or a list of them, as a list. */
export const valuesOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value == null ? [] : [value]);

/** The types of an object, without schema.org's address. */
export function typesOf(object: JsonLdObject): string[] {
  return valuesOf(object["@type"])
    .filter((type) => typeof type === "string")
    .map((type) => type.replace(/^(?:https?:\/\/schema\.org\/|schema:)/i, ""));
}

/** Whether a property says something; `false` and 0 do. */
export function hasValue(object: JsonLdObject, property: string): boolean {
  const value = object[property] ?? object[`schema:${property}`] ?? object[`https://schema.org/${property}`];
  return valuesOf(value).some((item) => (typeof item === "string" ? item.trim() !== "" : item !== null));
}

/** Only a reference to an object that is described elsewhere. */
export const isReference = (object: JsonLdObject): boolean =>
  typeof object["@id"] === "string" && Object.keys(object).every((key) => key === "@id" || key === "@type");

export interface Found {
  object: JsonLdObject;
  /** The object that holds it, and by which property; null at the top and in @graph. */
  parent: JsonLdObject | null;
  property: string | null;
}

/** Every object of the document, outermost first. */
export function objectsOf(document: unknown): Found[] {
  const found: Found[] = [];
  const queue: { value: unknown; parent: JsonLdObject | null; property: string | null; depth: number }[] = [
    { value: document, parent: null, property: null, depth: 0 },
  ];
  for (let at = 0; at < queue.length && found.length < MAX_OBJECTS; at++) {
    const { value, parent, property, depth } = queue[at]!;
    if (depth > MAX_DEPTH || queue.length > 20 * MAX_OBJECTS) continue;
    if (Array.isArray(value)) {
      for (const item of value) queue.push({ value: item, parent, property, depth: depth + 1 });
    } else if (isObject(value)) {
      const isGraph = "@graph" in value && value["@type"] === undefined;
      if (!isGraph) found.push({ object: value, parent, property });
      for (const [key, inner] of Object.entries(value)) {
        if (key === "@context" || typeof inner !== "object" || inner === null) continue;
        queue.push({ value: inner, parent: isGraph ? null : value, property: isGraph ? null : key, depth: depth + 1 });
      }
    }
  }
  return found;
}
