/** What an audit must not reach although its address looks public: this very server, and names that lead inside. */
import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import {
  askedPaths,
  callApi,
  openSite,
  postJson,
  readAll,
  setVars,
  startAudit,
  waitForEnd,
} from "../support/audits.ts";
import { ask, bearer, deploy, errorOf, holdAudits, makeToken, ORIGIN } from "./support.ts";

test("a start of an audit of this server itself is refused, by whatever port and spelling", async () => {
  deploy();
  holdAudits();
  setVars({ PUBLIC_HOST: "audits.example, www.audits.example" });
  const { token } = await makeToken();
  const start = (url: string): Promise<Response> =>
    ask("/api/v1/audits", {
      method: "POST",
      headers: { ...bearer(token), "content-type": "application/json" },
      body: JSON.stringify({ url }),
    });
  for (const url of [
    ORIGIN,
    "http://pulse.example:8080/x",
    "https://PULSE.example./",
    "https://audits.example",
    "www.audits.example",
  ]) {
    expect(await errorOf(await start(url)), url).toEqual({ status: 400, code: "address_not_allowed" });
  }
  expect((await start("https://shop.example")).status).toBe(201);
});

test("a redirect to this server is not followed, although its host is allowed", async () => {
  const own = await openSite({ routes: { "/": { body: "the product" } } });
  const site = await openSite({ routes: { "/": { redirect: `${own.origin}/` } } });
  // The start is sent to the address of `own`, as it were.
  const response = await exports.default.fetch(`http://${own.host}/api/v1/audits`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: site.origin }),
  });
  const { id } = await response.json<{ id: string }>();
  const audit = await waitForEnd(id);
  expect(audit.status).toBe("failed");
  expect(audit.error?.detail).toContain("this very server");
  expect(await askedPaths(own)).toEqual([]);
});

test("the answers of the API say nothing of the host that was noted", async () => {
  holdAudits();
  const id = await startAudit("https://shop.example");
  expect(await (await callApi(`/api/v1/audits/${id}`)).text()).not.toContain("ownHost");
});

test("a name whose DNS answer is private is not crawled, and the audit says why", async () => {
  const resolver = await openSite({
    routes: {
      "/dns-query": {
        headers: { "content-type": "application/dns-json" },
        body: '{"Answer":[{"type":1,"data":"10.9.8.7"}]}',
      },
    },
  });
  setVars({ DNS_CHECK: "1", DNS_RESOLVER: `${resolver.origin}/dns-query` });
  const audit = await waitForEnd(await startAudit("https://shop.example"));
  expect([audit.status, audit.errorCode]).toEqual(["failed", "site_unreachable"]);
  expect(audit.error?.detail).toContain("10.9.8.7");
  expect((await askedPaths(resolver)).toSorted()).toEqual([
    "/dns-query?name=shop.example&type=A",
    "/dns-query?name=shop.example&type=AAAA",
  ]);
});

test("a resolver that cannot be asked, and a host allowed by name, do not keep an audit from its site", async () => {
  const site = await openSite({ routes: { "/": { body: "<title>Home</title>" } } });
  const resolver = await openSite({ fallback: { status: 500 } });
  setVars({ DNS_CHECK: "1", DNS_RESOLVER: `${resolver.origin}/` });
  const id = await startAudit(site.origin);
  expect((await waitForEnd(id)).status).toBe("completed");
  expect(await readAll(`/api/v1/audits/${id}/pages`)).toHaveLength(1);
  expect((await postJson("/api/v1/audits", { url: "http://localhost" })).status).toBe(400);
});
