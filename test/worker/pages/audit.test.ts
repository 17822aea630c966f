/** One audit's page: its sentence in every state, its live part, and what can be done with it. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { rows } from "../support/audits.ts";
import { ORIGIN, type Browser } from "../http/support.ts";
import { StandIn } from "../supervision/support.ts";
import { emptyDatabase, NOW, putAudit, read, signedIn, summaryWith, textOf } from "./support.ts";

let browser: Browser;
beforeEach(async () => {
  await emptyDatabase();
  browser = await signedIn();
});

const answerOf = (html: string): string => textOf(/<p class="answer[^>]*>([\s\S]*?)<\/p>/.exec(html)?.[1] ?? "").trim();
const formsOf = (html: string): string[] =>
  [...html.matchAll(/<form[^>]*method="post" action="([^"]+)"/g)].map(([, action = ""]) =>
    action.replace(/^\/audits\/\w+/, ""),
  );
const beat = (id: string, minutes: number, pages: number): Promise<unknown[]> => {
  const at = NOW - minutes * 60_000;
  return rows("insert into audit_beats values (?, 1, ?, ?, ?, ?)", id, Math.floor(at / 60_000), at, 1, pages);
};
const press = async (id: string, action: string): Promise<Response> =>
  browser.submit(`/audits/${id}/${action}`, { csrf: await browser.csrf(`/audits/${id}`) });

describe("the sentence", () => {
  test("of a crawl says how far, how fast, and when it was last heard", async () => {
    const id = await putAudit({
      status: "running",
      columns: { pages_crawled: 412, pages_total: 1_300, heartbeat_at: NOW - 4_000, heartbeat_due_at: NOW + 600_000 },
    });
    await beat(id, 2, 0);
    const answer = answerOf(await read(browser, `/audits/${id}`));
    expect(answer).toMatch(/^Crawling: 412 of about 1,300 pages, 3\.6 a second, last heartbeat \d+ s ago\s?\.$/);
  });

  test("of an overdue audit says since when, what the platform says, and when it will be called dead", async () => {
    Object.assign(env, { SITE_AUDIT: new StandIn().says({ status: "running" }).binding });
    const id = await putAudit({
      status: "running",
      columns: { heartbeat_at: NOW - 48_000, heartbeat_due_at: NOW - 18_000, created_at: NOW - 100_000 },
    });
    const answer = answerOf(await read(browser, `/audits/${id}`));
    const deadAt = new Date(NOW - 18_000 + 300_000).toISOString().slice(11, 16);
    expect(answer).toMatch(
      new RegExp(
        `^Overdue: the last heartbeat was \\d+ s ago ?, the next was promised \\d+ s ago ?\\. The platform was asked 0 s ago and says: running\\. It will be called dead at ${deadAt} UTC if it stays silent\\.$`,
      ),
    );
    expect(await read(browser, `/audits/${id}`)).toContain("Ask the platform now");
  });

  test("of a held one says that it is left alone, and how to end it", async () => {
    Object.assign(env, { SITE_AUDIT: new StandIn().says({ status: "paused" }).binding });
    const id = await putAudit({ status: "running", columns: { heartbeat_due_at: NOW - 18_000 } });
    expect(answerOf(await read(browser, `/audits/${id}`))).toContain(
      "Somebody holds it on purpose, so it is left alone. Cancel ends it.",
    );
  });

  test("of a failed one says why, who ended it, and that what was found is kept", async () => {
    const id = await putAudit({
      status: "failed",
      columns: {
        error_code: "heartbeat_lost",
        error_detail: "silent for 5 min 12 s, limit 5 min, instance says running",
        failed_phase: "crawling",
        ended_by: "watchdog",
        pages_crawled: 812,
      },
    });
    await rows(
      "update audit_attempts set detection_ms = 372000, evidence = ? where audit_id = ?",
      JSON.stringify({
        said: { said: "running" },
        verdict: { rule: "claims_to_run", overdueMs: 312_000, chainMs: 62_000, seq: 41 },
      }),
      id,
    );
    const html = await read(browser, `/audits/${id}`);
    expect(answerOf(html)).toMatch(
      /^Failed while crawling, after 812 pages: stopped sending heartbeats\. The supervisor ended it at \d\d:\d\d UTC ?, 6 min 12 s after the last heartbeat\. The 812 pages are kept\. Resume goes on from here\.$/,
    );
    const text = textOf(html);
    expect(text).toContain("Silent for 5 min 12 s, limit 5 min, instance says running.");
    expect(text).toContain("The platform was asked and said: running.");
    expect(text).toContain("The rule that applied: Running or waiting: dead once it is overdue by the limit");
    expect(formsOf(html)).toEqual(expect.arrayContaining(["/resume", "/again"]));
  });

  test("of a completed one says what was found, and a cut crawl gets no score", async () => {
    const whole = await putAudit({ columns: { summary: summaryWith() } });
    const html = await read(browser, `/audits/${whole}`);
    expect(answerOf(html)).toBe(
      "Completed in 41 s: 12 pages, 10 of them indexable; 54 findings, 3 errors among them. The crawl kept within robots.txt.",
    );
    expect(html).toContain('aria-label="Health 82 of 100"');
    const note = "No score: the crawl was cut at 500 of at least 4,100 pages, so site-wide findings would be guesses.";
    const cut = await putAudit({ columns: { summary: summaryWith({ score: null, scoreNote: note }) } });
    expect(textOf(await read(browser, `/audits/${cut}`))).toContain(note);
  });
});

describe("the live part", () => {
  test("is sent again only when something but the time has changed", async () => {
    const id = await putAudit({ status: "running" });
    const first = await browser.open(`/audits/${id}/live`);
    const etag = first.headers.get("etag") ?? "";
    await first.text();
    const ask = (): Promise<Response> => browser.open(`/audits/${id}/live`, { headers: { "if-none-match": etag } });
    expect((await ask()).status).toBe(304);
    await rows("update audits set heartbeat_seq = 8 where id = ?", id);
    expect((await ask()).status).toBe(200);
  });

  test("stops asking once the audit has ended", async () => {
    const running = await putAudit({ status: "running" });
    const ended = await putAudit({ columns: { summary: summaryWith() } });
    expect(await read(browser, `/audits/${running}`)).toContain(`data-live="/audits/${running}/live"`);
    expect(await read(browser, `/audits/${ended}`)).not.toContain("data-live=");
  });

  test("shows silence in the pulse as a gap, and the verdict", async () => {
    const id = await putAudit({
      status: "failed",
      createdAt: NOW - 20 * 60_000,
      columns: {
        error_code: "heartbeat_lost",
        ended_by: "watchdog",
        heartbeat_at: NOW - 15 * 60_000,
        ended_at: NOW - 8 * 60_000,
      },
    });
    for (const minutes of [20, 19, 18, 17, 16, 15]) await beat(id, minutes, 10);
    const html = await read(browser, `/audits/${id}`);
    expect(html).toContain('class="pulse-gap"');
    expect(html).toContain('class="pulse-verdict"');
    expect(html).toMatch(/aria-label="From [^"]* Silence for 7 min\. Ended as heartbeat_lost/);
  });
});

describe("what can be done", () => {
  test("cancelling asks once, then ends it and keeps what was found", async () => {
    const id = await putAudit({ status: "running" });
    expect(textOf(await read(browser, `/audits/${id}/cancel`))).toContain(
      "Nothing is lost: the 12 pages crawled so far are kept",
    );
    const response = await press(id, "cancel");
    expect([response.status, response.headers.get("location")]).toEqual([303, `/audits/${id}?notice=canceled`]);
    expect(answerOf(await read(browser, `/audits/${id}`))).toMatch(/^Canceled while crawling, after 12 pages/);
    expect((await press(id, "cancel")).headers.get("location")).toBe(`/audits/${id}?notice=not_running`);
  });

  test("resuming goes on under a new attempt, and a completed audit says why it cannot", async () => {
    const id = await putAudit({ status: "failed", columns: { error_code: "oom" } });
    expect((await press(id, "resume")).headers.get("location")).toBe(`/audits/${id}?notice=resumed`);
    expect(await rows("select status, attempt from audits where id = ?", id)).toEqual([
      { status: "running", attempt: 2 },
    ]);
    const done = await putAudit({ columns: { summary: summaryWith() } });
    expect((await press(done, "resume")).headers.get("location")).toBe(`/audits/${done}?notice=completed`);
  });

  test("starting again asks for the same site with the same options", async () => {
    const options = JSON.stringify({ maxPages: 33, exclude: ["/cart"], secrets: "sealed" });
    const id = await putAudit({ columns: { options, summary: summaryWith() } });
    const response = await press(id, "again");
    const again = /^\/audits\/(\w+)\?notice=started$/.exec(response.headers.get("location") ?? "")?.[1] ?? "";
    expect(again).not.toBe(id);
    const [row] = await rows<{ url: string; options: string }>("select url, options from audits where id = ?", again);
    expect(row?.url).toBe("https://site.example/");
    expect(JSON.parse(row?.options ?? "{}")).toMatchObject({ maxPages: 33, exclude: ["/cart"], secrets: "sealed" });
  });

  test("deleting says what is lost, and then it is gone", async () => {
    const id = await putAudit({ columns: { summary: summaryWith() } });
    expect(textOf(await read(browser, `/audits/${id}/delete`))).toContain("Lost for good: 12 pages");
    expect((await press(id, "delete")).headers.get("location")).toBe("/?notice=deleted");
    expect(textOf(await read(browser, `/audits/${id}`, 404))).toContain("No such audit");
  });

  test("reading is not enough to do any of it, and the buttons are not there", async () => {
    const id = await putAudit({ status: "failed", columns: { error_code: "oom" } });
    const reader = await signedIn("read");
    const html = await read(reader, `/audits/${id}`);
    expect(formsOf(html)).toEqual(["/sign-out"]);
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
    for (const action of ["resume", "again", "cancel", "delete", "reconcile"])
      expect((await reader.submit(`/audits/${id}/${action}`, { csrf })).status, action).toBe(403);
  });

  test("another organization's audit does not exist", async () => {
    const id = await putAudit({ columns: { organization_id: "other" } });
    for (const path of ["", "/live", "/findings", "/pages", "/pages/1", "/compare", "/attempts", "/exports", "/delete"])
      await read(browser, `/audits/${id}${path}`, 404);
    expect((await browser.submit(`/audits/${id}/delete`, { csrf: await browser.csrf("/") })).status).toBe(404);
  });
});

test("attempts name their Workflow instances, and the command that shows what is inside", async () => {
  const id = await putAudit({ columns: { summary: summaryWith() } });
  const text = textOf(await read(browser, `/audits/${id}/attempts`));
  expect(text).toContain(`npx wrangler workflows instances describe pulse-site-audit audit-${id}-1`);
});

test("stylesheet, script and icon may be kept for ever, since their names change with them", async () => {
  const html = await read(browser, "/");
  const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(paths).toHaveLength(3);
  for (const path of paths) {
    const response = await fetchAsset(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toContain("immutable");
    expect(response.headers.get("content-type")).toMatch(/css|javascript|svg/);
    await response.text();
  }
  expect((await fetchAsset("/assets/pulse.000000000000.css")).status).toBe(404);
});

/** Without a cookie: the sign-in page needs them. */
const fetchAsset = async (path: string): Promise<Response> => {
  const { exports } = await import("cloudflare:workers");
  return exports.default.fetch(ORIGIN + path);
};
