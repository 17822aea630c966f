/** The supervisor's page and the set-up page. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { ADMIN_TOKEN, type Browser } from "../http/support.ts";
import { rows, setVars } from "../support/audits.ts";
import { emptyDatabase, NOW, putAudit, read, signedIn, textOf } from "./support.ts";

let browser: Browser;
beforeEach(async () => {
  await emptyDatabase();
  browser = await signedIn();
});

const MINUTE = 60_000;
const INTERVAL = 2 * MINUTE;
const slot = (ago: number): number => Math.floor(Date.now() / INTERVAL) * INTERVAL - ago * INTERVAL;
const ran = (ago: number, outcome: string | null = "done"): Promise<unknown[]> =>
  rows(
    "insert into supervisor_runs (id, started_by, slot_at, started_at, ended_at, outcome, failed) values (?, 'cron', ?, ?, ?, ?, 0)",
    `supervise-${ago}`, slot(ago), slot(ago), outcome === null ? null : slot(ago) + 500, outcome,
  ); // prettier-ignore
const state = (columns: Record<string, number>): Promise<unknown[]> =>
  rows(
    `insert into supervisor_state (id, ${Object.keys(columns).join(", ")}) values (1, ${Object.values(columns).join(", ")})`,
  );
const decide = (auditId: string, verdict: string, reason: string, code: string | null = null): Promise<unknown[]> =>
  rows(
    "insert into supervisor_decisions (audit_id, attempt, at, by, verdict, code, reason, evidence, acted, detection_ms) values (?, 1, ?, 'watchdog', ?, ?, ?, ?, 'won', 372000)",
    auditId, NOW, verdict, code, reason, JSON.stringify({ said: { said: "running" }, rule: "claims_to_run" }),
  ); // prettier-ignore

describe("the supervisor's page", () => {
  test("teaches before its first run, and then says that it is on time", async () => {
    expect(textOf(await read(browser, "/supervisor"))).toContain(
      "The supervisor has not run yet; the cron starts it every 2 min.",
    );
    await ran(1);
    await state({ last_finished_at: NOW - 1_000, last_cron_at: NOW - 2_000 });
    const text = textOf(await read(browser, "/supervisor"));
    expect(text).toMatch(/The supervisor is on time: it finished a run \d+ s ago ?, and no audit is overdue\./);
    expect(text).toContain("Nothing had to be decided");
  });

  test("says that it is late, and shows missing runs as gaps", async () => {
    for (const ago of [9, 8, 7, 4]) await ran(ago);
    await ran(6, "held");
    await ran(5, null);
    await state({ last_finished_at: slot(4) });
    const html = await read(browser, "/supervisor");
    expect(textOf(html)).toContain("The supervisor has not finished a run for");
    expect(html).toMatch(/aria-label="4 done, 1 held, 1 began and recorded no end, 3 missing"/);
  });

  test("explains a held sweep", async () => {
    await state({ last_finished_at: NOW, held_sweeps: 2, held_count: 9, held_since: NOW - INTERVAL });
    const text = textOf(await read(browser, "/supervisor"));
    expect(text).toContain("2 sweeps in a row would have ended 9 audits as lost");
    expect(text).toContain("npm run audit -- sweep --force");
  });

  test("shows decisions newest first with their rule and numbers, paged, of this organization only", async () => {
    const own = await putAudit({ status: "failed", columns: { error_code: "heartbeat_lost" } });
    const other = await putAudit({ url: "https://secret.example/", columns: { organization_id: "other" } });
    await decide(other, "dead", "of somebody else");
    for (let n = 1; n <= 25; n += 1) await decide(own, "suspect", `silent for ${n} s`);
    await decide(own, "dead", "silent for 5 min 12 s, limit 5 min", "heartbeat_lost");
    const first = await read(browser, "/supervisor");
    expect(first).not.toContain("secret.example");
    expect(textOf(first)).toMatch(
      /Dead site\.example attempt 1, .* by the supervisor Silent for 5 min 12 s, limit 5 min\. Ended as “Stopped sending heartbeats”\. Seen 6 min 12 s after the last heartbeat\. Rule: running or waiting/,
    );
    expect(first.match(/class="decision-head"/g)).toHaveLength(20);
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1] ?? "";
    expect((await read(browser, next)).match(/class="decision-head"/g)).toHaveLength(6);
  });

  test("counts the dead by day and code, plots how late they were seen, and owns up to false alarms", async () => {
    const id = await putAudit({ status: "failed", columns: { error_code: "heartbeat_lost" } });
    await rows(
      "update audit_attempts set detection_ms = 372000, ended_by = 'watchdog', ended_at = ?, late_beats = 3 where audit_id = ?",
      NOW,
      id,
    );
    const html = await read(browser, "/supervisor");
    expect(html).toMatch(/<circle class="plot-dot"/);
    expect(textOf(html)).toMatch(
      /Stopped sending heartbeats 1 time; median 6 min 12 s, longest 6 min 12 s, bound 9 min/,
    );
    expect(textOf(html)).toMatch(/False alarms 1 .* sent 3 heartbeats afterwards, all refused/);
  });

  test("runs it now", async () => {
    const response = await browser.submit("/supervisor/run", { csrf: await browser.csrf("/supervisor") });
    expect([response.status, response.headers.get("location")]).toEqual([303, "/supervisor?notice=swept"]);
    expect(await rows("select started_by, outcome from supervisor_runs")).toEqual([
      { started_by: "manual", outcome: "done" },
    ]);
    await rows("update supervisor_state set lease_owner = 'another', lease_until = ?", Date.now() + MINUTE);
    const second = await browser.submit("/supervisor/run", { csrf: await browser.csrf("/supervisor") });
    expect(second.headers.get("location")).toBe("/supervisor?notice=lease_taken");
  });

  test("sends its live part again only when something has changed", async () => {
    await state({ last_finished_at: NOW });
    const first = await browser.open("/supervisor/live");
    await first.text();
    const headers = { "if-none-match": first.headers.get("etag") ?? "" };
    expect((await browser.open("/supervisor/live", { headers })).status).toBe(304);
    await rows("update supervisor_state set last_finished_at = ?", NOW + 1);
    expect((await browser.open("/supervisor/live", { headers })).status).toBe(200);
  });
});

describe("the set-up page", () => {
  const states = (html: string): Record<string, string> =>
    Object.fromEntries(
      [...html.matchAll(/<h2 id="([a-z-]+)">[^<]*<\/h2><span class="status status-(\w+)"/g)].map(
        ([, id = "", kind = ""]) => [id, kind],
      ),
    );

  test("finds a running server in order", async () => {
    setVars({ SECRET_KEY: "a long random text", POSTHOG_API_KEY: "phc_test" });
    await browser.signIn(ADMIN_TOKEN);
    await state({ last_finished_at: NOW, last_cron_at: NOW });
    expect(states(await read(browser, "/setup"))).toMatchObject({
      database: "completed", workflows: "completed", cron: "completed", auth: "completed", analytics: "completed",
    }); // prettier-ignore
  });

  test("says what the database lacks, and how to mend it", async () => {
    await env.DB.prepare("drop index pages_by_reason").run();
    const html = await read(browser, "/setup");
    expect(states(html).database).toBe("failed");
    expect(textOf(html)).toContain("It is not migrated: 1 things are missing, such as pages_by_reason.");
    expect(html).toContain("npx wrangler d1 migrations apply DB --remote");
    await env.DB.prepare(
      "create index pages_by_reason on audit_pages (audit_id, indexability) where indexability <> 'indexable'",
    ).run();
    expect(states(await read(browser, "/setup")).database).toBe("completed");
  });

  test("answers where the configuration does not hold, which the other pages cannot", async () => {
    setVars({ STALE_RUNNING_AFTER_MS: "1000", UNSAFE_LIMITS: "0" });
    expect(textOf(await read(browser, "/", 503))).toContain("STALE_RUNNING_AFTER_MS is 1000");
    const html = await read(browser, "/setup");
    expect(states(html).configuration).toBe("failed");
    expect(textOf(html)).toContain("STALE_RUNNING_AFTER_MS is 1000");
  });

  test("notices a cron that has never been seen, or no more", async () => {
    expect(states(await read(browser, "/setup")).cron).toBe("running");
    await state({ last_finished_at: NOW - 60 * MINUTE, last_cron_at: NOW - 60 * MINUTE });
    expect(states(await read(browser, "/setup")).cron).toBe("failed");
  });

  test("shows no secret", async () => {
    setVars({ SECRET_KEY: "k3y-that-is-secret", POSTHOG_API_KEY: "phc_s3cret" });
    await browser.signIn(ADMIN_TOKEN);
    expect(await read(browser, "/setup")).not.toMatch(/k3y-that|phc_s3|admin-token/);
  });
});
