/** A deployed Worker as strangers, token holders and browsers meet it. */
import { setVars, unsetVar } from "../support/audits.ts";
import { env, exports } from "cloudflare:workers";
import { afterEach, expect } from "vitest";
import { StandIn } from "../supervision/support.ts";
import type { Limit } from "../../../src/http/auth/rate-limits.ts";

export const ORIGIN = "https://pulse.example";
export const ADMIN_TOKEN = "admin-token-that-nobody-guesses";

const limits: Record<Limit, RateLimit | undefined> = {
  READ_LIMIT: env.READ_LIMIT,
  WRITE_LIMIT: env.WRITE_LIMIT,
  DOOR_LIMIT: env.DOOR_LIMIT,
};
const { SITE_AUDIT } = env;
afterEach(() => void Object.assign(env, limits, { SITE_AUDIT }));

/** Audits that are started run for ever, and ask nobody: what is tested is the door. */
export function holdAudits(): void {
  Object.assign(env, { SITE_AUDIT: new StandIn().says({ status: "running" }).binding });
}

/** No local mode, and these vars, until the end of the test. Limits only where the test is about them. */
export function deploy(vars: Record<string, string> = { ADMIN_TOKEN }, { limited = false } = {}): void {
  unsetVar("LOCAL_MODE");
  setVars(vars);
  const never = { limit: () => Promise.resolve({ success: true }) };
  Object.assign(env, limited ? limits : { READ_LIMIT: never, WRITE_LIMIT: never, DOOR_LIMIT: never });
}

export const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  exports.default.fetch(`${ORIGIN}${path}`, { redirect: "manual", ...init });

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

export async function errorOf(response: Response): Promise<{ status: number; code: string }> {
  const text = await response.text();
  const { error } = JSON.parse(text) as { error: { code: string; message: string; hint: string } };
  expect(error.message, text).not.toBe("");
  expect(error.hint, text).not.toBe("");
  return { status: response.status, code: error.code };
}

export interface Made {
  id: string;
  token: string;
  prefix: string;
  organizationId: string;
}

export async function makeToken(body: Record<string, unknown> = {}): Promise<Made> {
  const response = await ask("/api/v1/tokens", {
    method: "POST",
    headers: { ...bearer(ADMIN_TOKEN), "content-type": "application/json" },
    body: JSON.stringify({ name: "a test", role: "write", ...body }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(201);
  return JSON.parse(text) as Made;
}

type Init = Omit<RequestInit, "headers"> & { headers?: Record<string, string> };

/** A browser: keeps cookies, and says where its forms come from. */
export class Browser {
  readonly cookies = new Map<string, string>();

  async open(path: string, init: Init = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { accept: "text/html", ...(cookie === "" ? {} : { cookie }), ...init.headers };
    const response = await ask(path, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** Sends a form as one of the product's own pages would. */
  async submit(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    return this.open(path, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: ORIGIN,
        "sec-fetch-site": "same-origin",
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /** The form token on a page. */
  async csrf(path: string): Promise<string> {
    const html = await (await this.open(path)).text();
    return /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
  }

  async signIn(token: string, fields: Record<string, string> = {}): Promise<Response> {
    return this.submit("/sign-in", { token, csrf: await this.csrf("/sign-in"), ...fields });
  }
}
