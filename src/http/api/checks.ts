import { Hono } from "hono";
import { CHECKS } from "../../audit/checks/catalogue.ts";
import type { AppEnv } from "../context.ts";
import type { ChecksResponse } from "./schemas.ts";

/** /api/v1/checks: the words of every check. */
export const checks = new Hono<AppEnv>();

export function checkWords(): ChecksResponse {
  const words: ChecksResponse = {};
  for (const { id, severity, title, why, fix, source } of CHECKS) words[id] = { severity, title, why, fix, source };
  return words;
}

checks.get("/", (c) => c.json(checkWords()));
