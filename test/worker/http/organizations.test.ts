/** Organizations are kept apart: what one has started, no other one sees, changes or learns of. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { createApp } from "../../../src/http/app.ts";
import { EXPORTS } from "../../../src/http/api/exports.ts";
import { rows, setVars } from "../support/audits.ts";
import { ADMIN_TOKEN, ask, bearer, deploy, errorOf, holdAudits, type Made, makeToken } from "./support.ts";

let ours: Made;
let theirs: Made;
let id: string;

const send = (token: string, method: string, path: string, body?: unknown): Promise<Response> =>
  ask(path, {
    method,
    headers: { ...bearer(token), ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function start(token: string, url: string): Promise<string> {
  const response = await send(token, "POST", "/api/v1/audits", { url });
  const text = await response.text();
  expect(response.status, text).toBe(201);
  return (JSON.parse(text) as { id: string }).id;
}

beforeEach(async () => {
  deploy();
  holdAudits();
  ours = await makeToken({ organization: "shop" });
  theirs = await makeToken({ organization: "rival" });
  id = await start(ours.token, "https://shop.example");
});

const auditRoutes = createApp().routes.filter(({ method, path }) => method !== "ALL" && /\/audits\/:id/.test(path));

describe.each(auditRoutes.map(({ method, path }) => [method, path] as const))("%s %s", (method, path) => {
  test("of another organization's audit is as if there were none", async () => {
    const files = path.includes(":file") ? Object.keys(EXPORTS) : [""];
    for (const file of files) {
      const address = path.replace(":id", id).replace(":file", file);
      const response = await send(theirs.token, method, address);
      expect(response.status, address).toBe(404);
      expect(await response.text()).not.toContain("shop.example");
    }
    const [row] = await rows<{ status: string; attempt: number; deleted_at: number | null }>(
      "select status, attempt, deleted_at from audits where id = ?",
      id,
    );
    expect(row).toMatchObject({ attempt: 1, deleted_at: null });
    expect(row?.status).not.toBe("canceled");
  });
});

test("the list shows an organization's own audits only", async () => {
  const list = async (token: string): Promise<string[]> => {
    const response = await send(token, "GET", "/api/v1/audits?limit=100");
    const { items } = await response.json<{ items: { id: string }[] }>();
    return items.map((item) => item.id);
  };
  expect(await list(ours.token)).toContain(id);
  expect(await list(theirs.token)).not.toContain(id);
  expect(await list(ADMIN_TOKEN)).not.toContain(id);
});

test("an Idempotency-Key of one organization means nothing to another one", async () => {
  const startAs = (token: string, url: string): Promise<Response> =>
    ask("/api/v1/audits", {
      method: "POST",
      headers: { ...bearer(token), "content-type": "application/json", "idempotency-key": "the-same" },
      body: JSON.stringify({ url }),
    });
  const first = await (await startAs(ours.token, "https://shop.example")).json<{ id: string }>();
  const second = await startAs(theirs.token, "https://rival.example");
  expect(second.status).toBe(201);
  expect((await second.json<{ id: string }>()).id).not.toBe(first.id);
});

test("the capacity of one organization is not used up by another one, and its running audits are not told", async () => {
  setVars({ CAPACITY_PER_ORGANIZATION: "1" });
  const other = await makeToken({ organization: "other" });
  expect((await send(other.token, "POST", "/api/v1/audits", { url: "https://other.example" })).status).toBe(201);
  const full = await send(other.token, "POST", "/api/v1/audits", { url: "https://other.example/again" });
  expect(full.status).toBe(429);
  const words = await full.text();
  expect(words).toContain("audit_capacity_reached");
  expect(words).not.toContain("shop.example");
});

describe("the supervisor goes over everybody's audits, and", () => {
  beforeEach(async () => {
    const { DB } = env;
    await DB.batch([
      DB.prepare("delete from supervisor_decisions"),
      DB.prepare("delete from supervisor_runs"),
      DB.prepare(
        "insert into supervisor_decisions (audit_id, attempt, at, by, verdict, reason, evidence, acted) values (?, 1, 1, 'watchdog', 'dead', 'silent', '{}', 'won')",
      ).bind(id),
      DB.prepare(
        "insert into supervisor_runs (id, started_by, slot_at, started_at, ended_at, outcome, report) values ('run-1', 'cron', 1, 1, 2, 'done', ?)",
      ).bind(
        JSON.stringify({
          outcome: "done",
          failed: [{ audit: id, code: "instance_lost" }],
          failedCount: 1,
          problems: [`audit ${id} is broken`],
        }),
      ),
    ]);
  });

  test("decisions are told about own audits only", async () => {
    const decisions = async (token: string, query = ""): Promise<string> =>
      (await send(token, "GET", `/api/v1/supervisor/decisions${query}`)).text();
    expect(await decisions(ours.token)).toContain(id);
    expect(await decisions(theirs.token)).not.toContain(id);
    expect(await decisions(theirs.token, `?audit=${id}`)).not.toContain("silent");
    expect(await decisions(ADMIN_TOKEN)).toContain(id);
  });

  test("runs name no audit but to an administrator", async () => {
    const runs = async (token: string): Promise<string> => (await send(token, "GET", "/api/v1/supervisor/runs")).text();
    expect(await runs(ours.token)).toContain("instance_lost");
    expect(await runs(ours.token)).not.toContain(id);
    expect(await runs(ADMIN_TOKEN)).toContain(id);
  });

  test("only an administrator may override the breaker", async () => {
    const force = (token: string): Promise<Response> =>
      send(token, "POST", "/api/v1/supervisor/sweep", { force: true, dryRun: true });
    expect(await errorOf(await force(ours.token))).toEqual({ status: 403, code: "role_too_low" });
    expect((await force(ADMIN_TOKEN)).status).toBe(200);
  });
});

test("a project of one organization cannot be given to another one", async () => {
  const make = (organization: string): Promise<Response> =>
    send(ADMIN_TOKEN, "POST", "/api/v1/tokens", { name: "x", role: "read", organization, project: "spring" });
  expect((await make("shop")).status).toBe(201);
  expect(await errorOf(await make("rival"))).toEqual({ status: 409, code: "project_taken" });
});
