/**
 * Every route, and what it takes to use it: `open` is for everybody. A route that is missing here is not open: reading
 * needs `read`, everything else `write`. A test walks all routes of the app and fails for one that is missing.
 */
import { matchedRoutes } from "hono/route";
import type { AppContext } from "../context.ts";
import type { Role } from "./identity.ts";

export type Need = "open" | Role;

export const API_ROUTES = {
  "POST /api/v1/audits": "write",
  "GET /api/v1/audits": "read",
  "GET /api/v1/audits/:id": "read",
  "DELETE /api/v1/audits/:id": "write",
  "POST /api/v1/audits/:id/cancel": "write",
  "POST /api/v1/audits/:id/resume": "write",
  "POST /api/v1/audits/:id/reconcile": "write",
  "GET /api/v1/audits/:id/explain": "read",
  "GET /api/v1/audits/:id/issues": "read",
  "GET /api/v1/audits/:id/pages": "read",
  "GET /api/v1/audits/:id/changes": "read",
  "GET /api/v1/audits/:id/export/:file": "read",
  "GET /api/v1/checks": "read",
  "GET /api/v1/supervisor": "read",
  "POST /api/v1/supervisor/sweep": "write",
  "GET /api/v1/supervisor/runs": "read",
  "GET /api/v1/supervisor/decisions": "read",
  "POST /api/v1/tokens": "admin",
  "GET /api/v1/tokens": "admin",
  "DELETE /api/v1/tokens/:id": "admin",
  "GET /api/v1/openapi.json": "read",
} as const satisfies Record<string, Need>;
export type ApiRoute = keyof typeof API_ROUTES;

/** The pages and what their forms do. */
const PAGE_ROUTES = {
  "GET /assets/:file": "open",
  "GET /": "read",
  "GET /audits": "read",
  "POST /audits": "write",
  "GET /audits/live": "read",
  "GET /audits/:id": "read",
  "GET /audits/:id/live": "read",
  "GET /audits/:id/findings": "read",
  "GET /audits/:id/findings/:check": "read",
  "GET /audits/:id/pages": "read",
  "GET /audits/:id/pages/:page": "read",
  "GET /audits/:id/compare": "read",
  "GET /audits/:id/attempts": "read",
  "GET /audits/:id/exports": "read",
  "GET /audits/:id/cancel": "write",
  "GET /audits/:id/delete": "write",
  "POST /audits/:id/again": "write",
  "POST /audits/:id/cancel": "write",
  "POST /audits/:id/resume": "write",
  "POST /audits/:id/delete": "write",
  "POST /audits/:id/reconcile": "write",
  "GET /supervisor": "read",
  "GET /supervisor/live": "read",
  "POST /supervisor/run": "write",
  "GET /setup": "read",
  "GET /tokens": "admin",
  "POST /tokens": "admin",
  "GET /tokens/:id/revoke": "admin",
  "POST /tokens/:id/revoke": "admin",
} as const satisfies Record<string, Need>;

const OTHER_ROUTES = {
  "GET /healthz": "open",
  "GET /sign-in": "open",
  "POST /sign-in": "open",
  "POST /sign-out": "open",
  // Its tools ask for more where they do more.
  "POST /mcp": "read",
  "GET /mcp": "read",
  "DELETE /mcp": "read",
} as const satisfies Record<string, Need>;

export const ROUTES: Readonly<Record<string, Need>> = { ...API_ROUTES, ...PAGE_ROUTES, ...OTHER_ROUTES };

const isReading = (method: string): boolean => method === "GET" || method === "HEAD";

/** What this request needs. An address without a route needs `read`: strangers learn nothing of what there is. */
export function needOf(c: AppContext): Need {
  const route = matchedRoutes(c).findLast(({ method }) => method !== "ALL");
  if (route === undefined) return "read";
  return ROUTES[`${route.method} ${route.path}`] ?? (isReading(route.method) ? "read" : "write");
}
