/** The pages: server-rendered, readable without a script, every view with an address of its own. */
import { Hono } from "hono";
import type { AppEnv } from "../context.ts";
import { confirmCancel, confirmDelete } from "./audit/confirm.tsx";
import { showAttempts } from "./audit/attempts.tsx";
import { showCompare } from "./audit/compare.tsx";
import { showExports } from "./audit/exports.tsx";
import { showCheck, showFindings } from "./audit/findings.tsx";
import { showAudit, showLive } from "./audit/overview.tsx";
import { showPage } from "./audit/page-view.tsx";
import { showPages } from "./audit/pages-table.tsx";
import { askPlatform, cancelAudit, deleteAudit, resumeAudit, startAgain, startAudit } from "./audits/act.ts";
import { showList, showListLive } from "./audits/list.tsx";
import { guardPages } from "./guard.ts";
import { showSetup } from "./setup/setup.tsx";
import { confirmRevoke, makeToken, revokeToken, showTokens } from "./tokens/tokens.tsx";
import { runSupervisor, showSupervisor, showSupervisorLive } from "./supervisor/supervisor.tsx";

export const pages = new Hono<AppEnv>();

for (const path of ["/", "/audits", "/audits/*", "/supervisor", "/supervisor/*", "/tokens", "/tokens/*"])
  pages.use(path, guardPages);

pages.get("/", (c) => showList(c));
pages.get("/audits", (c) => c.redirect("/", 303));
pages.post("/audits", startAudit);
pages.get("/audits/live", showListLive);

pages.get("/audits/:id", showAudit);
pages.get("/audits/:id/live", showLive);
pages.get("/audits/:id/findings", showFindings);
pages.get("/audits/:id/findings/:check", showCheck);
pages.get("/audits/:id/pages", showPages);
pages.get("/audits/:id/pages/:page", showPage);
pages.get("/audits/:id/compare", showCompare);
pages.get("/audits/:id/attempts", showAttempts);
pages.get("/audits/:id/exports", showExports);
pages.get("/audits/:id/cancel", confirmCancel);
pages.get("/audits/:id/delete", confirmDelete);

pages.post("/audits/:id/again", startAgain);
pages.post("/audits/:id/cancel", cancelAudit);
pages.post("/audits/:id/resume", resumeAudit);
pages.post("/audits/:id/delete", deleteAudit);
pages.post("/audits/:id/reconcile", askPlatform);

pages.get("/supervisor", showSupervisor);
pages.get("/supervisor/live", showSupervisorLive);
pages.post("/supervisor/run", runSupervisor);

pages.get("/tokens", (c) => showTokens(c));
pages.post("/tokens", makeToken);
pages.get("/tokens/:id/revoke", confirmRevoke);
pages.post("/tokens/:id/revoke", revokeToken);

/** Apart from the others: it answers where the database or the configuration does not. */
export const setup = new Hono<AppEnv>();
setup.use("*", guardPages);
setup.get("/", showSetup);
