/** Cloudflare Access in front of the Worker: only what its keys have signed counts. */
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import type { Site } from "../../support/sites.ts";
import { askedPaths, openSite, setVars } from "../support/audits.ts";
import { ask, deploy, errorOf, ORIGIN } from "./support.ts";

const AUD = "f".repeat(64);
const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
const stranger = await generateKeyPair("RS256", { extractable: true });
const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" };

let issuer: string;
let team: Site;
beforeEach(async () => {
  team = await openSite({
    routes: {
      "/cdn-cgi/access/certs": {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ keys: [jwk] }),
      },
    },
  });
  issuer = team.origin;
  deploy({ ACCESS_TEAM_DOMAIN: issuer, ACCESS_AUD: `other, ${AUD}`, ACCESS_ADMINS: "Boss@shop.example" });
});

interface Wrong {
  claims?: JWTPayload;
  audience?: string;
  issuer?: string;
  expires?: string;
  kid?: string;
  key?: CryptoKey;
}

const assertion = (wrong: Wrong = {}): Promise<string> =>
  new SignJWT({ email: "ann@shop.example", type: "app", ...wrong.claims })
    .setProtectedHeader({ alg: "RS256", kid: wrong.kid ?? "one" })
    .setIssuer(wrong.issuer ?? issuer)
    .setAudience(wrong.audience ?? AUD)
    .setIssuedAt("-1h")
    .setExpirationTime(wrong.expires ?? "1h")
    .sign(wrong.key ?? privateKey);

type Init = Omit<RequestInit, "headers"> & { headers?: Record<string, string> };
const through = (jwt: string, path = "/api/v1/audits", init: Init = {}): Promise<Response> =>
  ask(path, { ...init, headers: { "cf-access-jwt-assertion": jwt, ...init.headers } });

test("a person whom Access vouches for gets in, and the keys are fetched once", async () => {
  expect((await through(await assertion())).status).toBe(200);
  expect((await through(await assertion())).status).toBe(200);
  expect(await askedPaths(team)).toEqual(["/cdn-cgi/access/certs"]);
});

test("without the assertion nobody gets in, however the e-mail header reads", async () => {
  const response = await ask("/api/v1/audits", {
    headers: { "cf-access-authenticated-user-email": "boss@shop.example" },
  });
  expect(await errorOf(response)).toEqual({ status: 401, code: "token_missing" });
});

describe("an assertion is refused", () => {
  test.each<[string, Wrong]>([
    ["for another application", { audience: "e".repeat(64) }],
    ["by another team", { issuer: "https://other.cloudflareaccess.com" }],
    ["that has expired", { expires: "-1m" }],
    ["signed by somebody else under a known key's name", { key: stranger.privateKey }],
    ["signed with an unknown key", { key: stranger.privateKey, kid: "two" }],
    ["that names nobody", { claims: { email: "" } }],
  ])("%s", async (_what, wrong) => {
    expect(await errorOf(await through(await assertion(wrong)))).toEqual({ status: 401, code: "access_invalid" });
  });

  test("without a signature, or signed with the public key as a shared secret", async () => {
    const [, payload] = (await assertion()).split(".");
    const header = (alg: string): string => btoa(JSON.stringify({ alg, kid: "one", typ: "JWT" })).replace(/=+$/, "");
    const secret = new TextEncoder().encode(JSON.stringify(jwk));
    const hmac = await new SignJWT({ email: "boss@shop.example" })
      .setProtectedHeader({ alg: "HS256", kid: "one" })
      .setIssuer(issuer)
      .setAudience(AUD)
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(secret);
    for (const forged of [`${header("none")}.${payload}.`, hmac, "nonsense"]) {
      expect(await errorOf(await through(forged)), forged).toEqual({ status: 401, code: "access_invalid" });
    }
  });
});

test("when the keys cannot be had, nobody gets in, and it is said that this passes", async () => {
  const gone = await openSite({ fallback: { status: 500 } });
  setVars({ ACCESS_TEAM_DOMAIN: gone.origin });
  const response = await through(await assertion({ issuer: gone.origin }));
  expect(response.headers.get("retry-after")).toBe("10");
  expect(await errorOf(response)).toEqual({ status: 503, code: "access_unavailable" });
});

test("with only one of the two vars set, Access is not configured and nobody gets in", async () => {
  setVars({ ACCESS_AUD: "" });
  expect(await errorOf(await through(await assertion()))).toEqual({ status: 403, code: "not_configured" });
});

test("only whoever is named in ACCESS_ADMINS may make tokens", async () => {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", origin: ORIGIN, "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ name: "from Access", role: "read" }),
  };
  expect(await errorOf(await through(await assertion(), "/api/v1/tokens", init))).toEqual({
    status: 403,
    code: "role_too_low",
  });
  const boss = await assertion({ claims: { email: "boss@shop.example" } });
  expect((await through(boss, "/api/v1/tokens", init)).status).toBe(201);
});

test("a person's browser cannot be made to change something from another site, nor silently", async () => {
  const sweep = async (headers: Record<string, string>): Promise<number> =>
    (await through(await assertion(), "/api/v1/supervisor/sweep", { method: "POST", headers })).status;
  expect(await sweep({})).toBe(403);
  expect(await sweep({ origin: "https://evil.example" })).toBe(403);
  expect(await sweep({ origin: ORIGIN, "sec-fetch-site": "cross-site" })).toBe(403);
  expect(await sweep({ "sec-fetch-site": "same-site" })).toBe(403);
  expect(await sweep({ origin: ORIGIN })).toBe(200);
});

test("a service token of Access is a program, and needs to say no origin", async () => {
  const jwt = await assertion({ claims: { email: undefined, common_name: "robot.access" } });
  expect((await through(jwt, "/api/v1/supervisor/sweep", { method: "POST" })).status).toBe(200);
  const foreign = { method: "POST", headers: { origin: "https://evil.example" } };
  expect((await through(jwt, "/api/v1/supervisor/sweep", foreign)).status).toBe(403);
});
