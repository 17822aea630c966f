/** From a start request, already checked for its form, to the options that an audit is started with. */
import { allowedHosts, publicHosts } from "../../audit/audit-context.ts";
import type { AuditOptions } from "../../audit/audit-options.ts";
import { sealingSecret, sealSecrets } from "../../audit/secrets.ts";
import type { Env } from "../../env.ts";
import { sha256Hex, sign } from "../auth/secret-text.ts";
import type { AppContext } from "../context.ts";
import { Problem } from "../problems.ts";
import { readSiteUrl } from "./input.ts";
import type { StartAuditRequest } from "./start-request.ts";

export interface ReadRequest {
  url: string;
  options: AuditOptions;
}

export async function readStartRequest(c: AppContext, body: StartAuditRequest): Promise<ReadRequest> {
  const { config } = c.var.watch;
  const ownHost = ownHostOf(c);
  const hosts = { allowed: allowedHosts(c.env), own: [ownHost, ...publicHosts(c.env)] };
  const maxPages = body.maxPages ?? Math.min(config.DEFAULT_MAX_PAGES, config.MAX_PAGES);
  if (maxPages > config.MAX_PAGES) {
    throw new Problem(
      400,
      "too_many_pages",
      `"maxPages" is ${maxPages}.`,
      `This server crawls at most ${config.MAX_PAGES} pages.`,
    );
  }
  return {
    url: readSiteUrl(body.url, hosts),
    options: {
      maxPages,
      include: (body.include ?? []).map(pathOf),
      exclude: (body.exclude ?? []).map(pathOf),
      subdomains: body.subdomains ?? false,
      maxDepth: body.maxDepth ?? null,
      list: (body.list ?? []).map((url) => readSiteUrl(url, hosts)),
      sitemapOnly: body.sitemapOnly ?? false,
      ignoreParameters: body.ignoreParameters ?? [],
      userAgent: body.userAgent ?? null,
      requestDelayMs: body.requestDelayMs ?? 0,
      secrets: await sealed(c, body),
      ownHost,
    },
  };
}

/** Locally, other ports of this machine are other servers. */
function ownHostOf({ env, req }: AppContext): string {
  const { host, hostname, port, protocol } = new URL(req.url);
  if (env.LOCAL_MODE !== "1") return hostname;
  return port === "" ? `${hostname}:${protocol === "https:" ? 443 : 80}` : host;
}

/** "blog/*" means "/blog/*". */
const pathOf = (pattern: string): string =>
  pattern.startsWith("/") || pattern.startsWith("*") ? pattern : `/${pattern}`;

async function sealed(c: AppContext, { headers, basicAuth }: StartAuditRequest): Promise<string | null> {
  if (headers === undefined && basicAuth === undefined) return null;
  const secret = sealingSecret(c.env);
  if (secret === null) {
    throw new Problem(
      400,
      "no_secret_key",
      "This server cannot keep secret headers: it has no SECRET_KEY.",
      "Set one: npx wrangler secret put SECRET_KEY",
    );
  }
  const all: Record<string, string> = { ...headers };
  if (basicAuth !== undefined) {
    const bytes = new TextEncoder().encode(`${basicAuth.username}:${basicAuth.password}`);
    all.authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
  }
  return sealSecrets(all, secret);
}

/**
 * Tells two requests under one key apart. Passwords must not be guessed from what is stored, so that a request that has
 * any is hashed with the key that seals them.
 */
export async function requestHash(env: Env, request: StartAuditRequest): Promise<string> {
  const text = JSON.stringify(request);
  const secret = sealingSecret(env);
  const hasSecrets = request.headers !== undefined || request.basicAuth !== undefined;
  return hasSecrets && secret !== null ? sign(secret, `start request ${text}`) : sha256Hex(text);
}
