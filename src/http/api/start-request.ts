/** What an audit may be asked for at the door: the API's body, and what becomes of it. */
import { z } from "zod";
import { MAX_REQUEST_DELAY_MS } from "../../config.ts";

const pattern = z.string().min(1).max(500);
const patterns = z.array(pattern).max(50);

/** Header names that the crawler sets itself, or that would change whom it speaks to. */
const FORBIDDEN_HEADERS = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "user-agent",
  "accept-encoding",
  "cf-connecting-ip",
  // These would make the site answer with parts, or with nothing, and the report would lie.
  "range",
  "if-none-match",
  "if-modified-since",
  "if-match",
  "if-range",
  "if-unmodified-since",
  "upgrade",
  "expect",
  "te",
]);

const headerName = z
  .string()
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/, "is not a header name")
  .refine((name) => !FORBIDDEN_HEADERS.has(name.toLowerCase()), "must not be set");
const headerValue = z
  .string()
  .max(4_000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "has characters that no header may have");

export const startAuditFields = z.strictObject({
  url: z.string().min(1).max(2_048).describe("address of the site, http or https"),
  maxPages: z.number().int().min(1).max(10_000).optional().describe("pages to crawl at most; 500 unless said"),
  include: patterns.optional().describe("only pages whose path starts like one of these; * stands for anything"),
  exclude: patterns.optional().describe("no page whose path starts like one of these; * stands for anything"),
  subdomains: z.boolean().optional().describe("hosts below the site's own belong to it"),
  maxDepth: z.number().int().min(0).max(100).optional().describe("clicks from the start page at most"),
  list: z
    .array(z.string().min(1).max(2_048))
    .max(10_000)
    .optional()
    .describe("only these addresses; no link is followed"),
  sitemapOnly: z.boolean().optional().describe("only what the sitemaps list; no link is followed"),
  ignoreParameters: z
    .array(z.string().min(1).max(100))
    .max(100)
    .optional()
    .describe("query parameters that do not tell pages apart"),
  userAgent: z
    .string()
    .min(1)
    .max(300)
    .regex(/^[\x20-\x7e]*$/, "has characters that no header may have")
    .optional()
    .describe("instead of the product's own"),
  requestDelayMs: z
    .number()
    .int()
    .min(0)
    .max(MAX_REQUEST_DELAY_MS)
    .optional()
    .describe("milliseconds between the starts of two requests"),
  headers: z
    .record(headerName, headerValue)
    .refine((given) => Object.keys(given).length <= 30, "has more than 30 entries")
    .optional()
    .describe("sent to the audited site only; kept encrypted, never shown"),
  basicAuth: z
    .strictObject({ username: z.string().max(200), password: z.string().max(200) })
    .optional()
    .describe("sent to the audited site only; kept encrypted, never shown"),
});

export const startAuditRequest = startAuditFields
  .refine(
    ({ list, sitemapOnly }) => list === undefined || sitemapOnly !== true,
    "list and sitemapOnly exclude each other",
  )
  .describe("An audit to start");
export type StartAuditRequest = z.infer<typeof startAuditRequest>;
