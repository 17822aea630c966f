/** Everything that comes in over HTTP: who asks is known first, then what, then the answer. */
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { AuditService } from "../audit/audit-service.ts";
import { ConfigError } from "../config.ts";
import { openWatch } from "../supervision/supervision.ts";
import { audits } from "./api/audits.ts";
import { changes } from "./api/changes.ts";
import { checks } from "./api/checks.ts";
import { exports } from "./api/exports.ts";
import { healthz } from "./api/health.ts";
import { MAX_BODY_BYTES } from "./api/input.ts";
import { openapi } from "./api/openapi.ts";
import { results } from "./api/results.ts";
import { supervisor } from "./api/supervisor.ts";
import { tokens } from "./api/tokens.ts";
import { door } from "./auth/door.ts";
import { signIn } from "./auth/sign-in.ts";
import type { App, AppContext, AppEnv } from "./context.ts";
import { serveAsset } from "./pages/assets.ts";
import { pages, setup } from "./pages/index.ts";
import { problemPage, wantsPage } from "./pages/problem-page.tsx";
import { mcp } from "./mcp/server.ts";
import { limitSize } from "./limits.ts";
import { measuring } from "./measuring.ts";
import { Problem, problemResponse, unexpected } from "./problems.ts";

export function createApp(): App {
  const app = new Hono<AppEnv>();

  app.onError((error, c) => {
    const problem =
      error instanceof Problem
        ? error
        : error instanceof ConfigError
          ? new Problem(
              503,
              "misconfigured",
              error.message,
              "Mend the vars in wrangler.toml or those given with --var.",
            )
          : unexpected(error);
    return tell(c, problem);
  });
  app.notFound((c) =>
    tell(
      c,
      new Problem(404, "not_found", `There is nothing at ${c.req.path.slice(0, 200)}.`, "The API lives under /api/v1."),
    ),
  );

  app.get("/healthz", healthz);

  app.use("*", limitSize);
  app.use(
    "*",
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (c) =>
        problemResponse(
          c,
          new Problem(413, "body_too_large", "The body is too large.", `Send at most ${MAX_BODY_BYTES / 1024} KiB.`),
        ),
    }),
  );
  app.use("*", async (c, next) => {
    c.header("cache-control", "no-store");
    c.header("x-content-type-options", "nosniff");
    await next();
  });
  app.use("*", door);
  app.get("/assets/:file", serveAsset);
  // Before what may not work yet, since it tells why.
  app.route("/setup", setup);
  app.use("*", measuring);
  app.use("*", async (c, next) => {
    c.set("watch", openWatch(c.var.database === undefined ? c.env : { ...c.env, DB: c.var.database }));
    c.set("service", new AuditService(c.var.watch));
    await next();
  });
  app.route("/", signIn);
  app.route("/", pages);
  app.route("/api/v1/audits", audits);
  app.route("/api/v1/audits", results);
  app.route("/api/v1/audits", changes);
  app.route("/api/v1/audits", exports);
  app.route("/api/v1/checks", checks);
  app.route("/api/v1/supervisor", supervisor);
  app.route("/api/v1/tokens", tokens);
  app.route("/api/v1", openapi);
  app.route("/mcp", mcp);
  return app;
}

/** In the form that whoever asks can read. */
const tell = (c: AppContext, problem: Problem): Response | Promise<Response> =>
  wantsPage(c) ? problemPage(c, problem) : problemResponse(c, problem);
