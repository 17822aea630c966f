/**
 * The stylesheet, the script and the icon: plain files that wrangler puts into the Worker as text. Their addresses carry
 * a hash of their content, so that browsers may keep them for a year and still get a new one at once.
 */
import { createHash } from "node:crypto";
import type { AppContext } from "../context.ts";
import script from "./assets/live.client.js";
import mark from "./assets/mark.svg";
import audit from "./assets/style/audit.css";
import audits from "./assets/style/audits.css";
import base from "./assets/style/base.css";
import firstLine from "./assets/style/first-line.css";
import forms from "./assets/style/forms.css";
import frame from "./assets/style/frame.css";
import lists from "./assets/style/lists.css";
import marks from "./assets/style/marks.css";
import narrow from "./assets/style/narrow.css";
import places from "./assets/style/places.css";
import pulse from "./assets/style/pulse.css";
import result from "./assets/style/result.css";
import tables from "./assets/style/tables.css";

interface Asset {
  path: string;
  type: string;
  text: string;
}

function asset(name: string, extension: string, type: string, text: string): Asset {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { path: `/assets/${name}.${hash}.${extension}`, type, text };
}

/** In the order in which they overrule each other. */
const style = [base, frame, firstLine, marks, forms, lists, audits, audit, pulse, result, tables, places, narrow].join(
  "\n",
);
export const STYLE = asset("pulse", "css", "text/css; charset=utf-8", style);
export const SCRIPT = asset("live", "js", "text/javascript; charset=utf-8", script);
export const MARK = asset("mark", "svg", "image/svg+xml", mark);

const BY_PATH = new Map([STYLE, SCRIPT, MARK].map((one) => [one.path, one]));

/** GET /assets/...: open to everybody, since the sign-in page needs them. */
export function serveAsset(c: AppContext): Response {
  const found = BY_PATH.get(c.req.path);
  if (found === undefined) return c.text("There is no such file.\n", 404);
  return c.body(found.text, 200, {
    "content-type": found.type,
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  });
}
