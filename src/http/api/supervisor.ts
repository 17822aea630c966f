import { Hono } from "hono";
import type { AppEnv } from "../context.ts";

/** /api/v1/supervisor: its runs and decisions, and a run by command. */
export const supervisor = new Hono<AppEnv>();
