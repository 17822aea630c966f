/**
 * Where a name really leads. A name with a public look may resolve to a private address, which the address rules cannot
 * see. A Worker has no resolver of its own to ask, so the question goes over HTTPS (the JSON form of DNS over HTTPS, as
 * Cloudflare's and Google's resolvers answer it), once when an audit begins. It is the second wall: a deployed Worker has
 * no network behind it, so that an answer which cannot be had stops nobody.
 */
import { z } from "zod";
import { withTimeout } from "../../time-limit.ts";
import { isPublicIp } from "./addresses.ts";

/** The addresses of a name; null: it could not be asked. An unknown name has none. */
export type Resolve = (name: string) => Promise<string[] | null>;

export const DEFAULT_RESOLVER = "https://cloudflare-dns.com/dns-query";
/** For both questions together; the answer is a luxury. Milliseconds. */
export const DNS_LIMIT_MS = 4_000;
/** A DNS answer of this form is small. Characters. */
const MAX_ANSWER = 64_000;

const RECORD = { A: 1, AAAA: 28 } as const;
const answerSchema = z.looseObject({
  Answer: z.array(z.looseObject({ type: z.number(), data: z.string() })).optional(),
});

/** Asks a resolver for the A and AAAA records. Never throws. */
export const resolveOverHttps =
  (resolver: string, ask: (url: string, init: RequestInit) => Promise<Response>): Resolve =>
  async (name) => {
    const lookUp = async (type: keyof typeof RECORD): Promise<string[]> => {
      const url = new URL(resolver);
      url.searchParams.set("name", name);
      url.searchParams.set("type", type);
      const response = await ask(url.href, { headers: { accept: "application/dns-json" }, redirect: "manual" });
      const text = await response.text();
      if (!response.ok || text.length > MAX_ANSWER) throw new Error(`the resolver answered ${response.status}`);
      const { Answer = [] } = answerSchema.parse(JSON.parse(text));
      return Answer.flatMap((record) => (record.type === RECORD[type] ? [record.data] : []));
    };
    try {
      return (
        await withTimeout(Promise.all([lookUp("A"), lookUp("AAAA")]), DNS_LIMIT_MS, "no answer of the resolver")
      ).flat();
    } catch {
      return null;
    }
  };

const isLiteral = (hostname: string): boolean => hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname);

/** The first address of the name that no audit may reach; null: there is none, or nobody could say. */
export async function forbiddenAddressOf(hostname: string, resolve: Resolve): Promise<string | null> {
  // Addresses that stand in the URL itself are judged by the address rules.
  if (isLiteral(hostname)) return null;
  const addresses = await resolve(hostname.replace(/\.$/, ""));
  return addresses?.find((address) => !isPublicIp(address)) ?? null;
}
