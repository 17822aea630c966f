import type { Child } from "hono/jsx";
import { CSRF_FIELD } from "../auth/forgery.ts";
import type { AppContext } from "../context.ts";

/** The hidden field that every form of the pages carries. See auth/forgery.ts. */
export const csrfField = (c: AppContext): Child => <input type="hidden" name={CSRF_FIELD} value={c.var.csrf} />;
