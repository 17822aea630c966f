import { describe, expect, test } from "vitest";
import { forbiddenAddressOf, resolveOverHttps } from "../../../src/audit/crawl/dns-check.ts";
import { isAddressAllowed } from "../../../src/audit/crawl/addresses.ts";

const answering = (addresses: string[] | null) => () => Promise.resolve(addresses);

describe("a name that passes the address rules", () => {
  test.each([
    [["93.184.216.34"], null],
    [["93.184.216.34", "2606:2800:220:1::1"], null],
    [[], null],
    [["10.0.0.7"], "10.0.0.7"],
    [["93.184.216.34", "127.0.0.1"], "127.0.0.1"],
    [["93.184.216.34", "fd00::1"], "fd00::1"],
    [["::ffff:10.0.0.7"], "::ffff:10.0.0.7"],
    [["169.254.169.254"], "169.254.169.254"],
    [["not an address"], "not an address"],
  ])("and leads to %j is refused for %s", async (addresses, expected) => {
    expect(await forbiddenAddressOf("shop.example", answering(addresses))).toBe(expected);
  });

  test("and cannot be asked about stops nobody", async () => {
    expect(await forbiddenAddressOf("shop.example", answering(null))).toBeNull();
  });

  test("is asked about without its final dot; an address is not asked about at all", async () => {
    const asked: string[] = [];
    const resolve = (name: string) => {
      asked.push(name);
      return Promise.resolve([]);
    };
    for (const host of ["shop.example.", "[::1]", "10.0.0.1"]) await forbiddenAddressOf(host, resolve);
    expect(asked).toEqual(["shop.example"]);
  });
});

describe("a resolver that is asked over HTTPS", () => {
  const json = (body: unknown, status = 200) => Promise.resolve(new Response(JSON.stringify(body), { status }));

  test("is asked for both kinds of addresses, and names on the way are left out", async () => {
    const asked: string[] = [];
    const resolve = resolveOverHttps("https://dns.example/dns-query", (url, { headers }) => {
      asked.push(url);
      expect(headers).toEqual({ accept: "application/dns-json" });
      const isFour = url.endsWith("type=A");
      const cname = { name: "shop.example", type: 5, data: "lb.example." };
      return json({ Status: 0, Answer: [cname, isFour ? { type: 1, data: "10.1.2.3" } : { type: 28, data: "::1" }] });
    });
    expect(await resolve("shop.example")).toEqual(["10.1.2.3", "::1"]);
    expect(asked).toEqual([
      "https://dns.example/dns-query?name=shop.example&type=A",
      "https://dns.example/dns-query?name=shop.example&type=AAAA",
    ]);
  });

  test("that says that the name is unknown gives no address", async () => {
    expect(await resolveOverHttps("https://dns.example/", () => json({ Status: 3 }))("gone.example")).toEqual([]);
  });

  test.each<[string, () => Promise<Response>]>([
    ["does not answer", () => Promise.reject(new Error("connection lost"))],
    ["answers with an error", () => json({}, 502)],
    ["answers something else", () => Promise.resolve(new Response("<html>"))],
    ["answers in another form", () => json({ Answer: "10.0.0.1" })],
    ["answers endlessly", () => Promise.resolve(new Response(`{"a":"${"x".repeat(100_000)}"}`))],
  ])("that %s could not be asked", async (_what, ask) => {
    expect(await resolveOverHttps("https://dns.example/", ask)("shop.example")).toBeNull();
  });
});

describe("the product's own host", () => {
  test.each([
    ["https://pulse.example/", ["pulse.example"], false],
    ["http://pulse.example:8080/", ["pulse.example"], false],
    ["https://PULSE.example./", ["pulse.example"], false],
    ["https://shop.pulse.example/", ["pulse.example"], true],
    ["https://pulse.example:8443/", ["pulse.example:443"], true],
    ["https://pulse.example/", ["pulse.example:443"], false],
  ])("%s beside %j: allowed %s", (url, own, allowed) => {
    expect(isAddressAllowed(new URL(url), [], own).ok).toBe(allowed);
  });

  test("stays closed even where somebody has listed it", () => {
    const verdict = isAddressAllowed(new URL("http://localhost:8787/"), ["localhost:8787"], ["localhost:8787"]);
    expect(verdict).toMatchObject({ ok: false, reason: "own_host" });
    expect(isAddressAllowed(new URL("http://localhost:3000/"), ["localhost:3000"], ["localhost:8787"]).ok).toBe(true);
  });
});
