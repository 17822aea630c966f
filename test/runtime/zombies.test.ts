/**
 * Real zombies: the runtime's processes are killed with -9 while audits are at work, and started again on the same state.
 * The platform says "running" of such an instance for ever. The supervisor finds it, or whoever looks does; a resume
 * finishes the audit with every page there once.
 */
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { AuditResponse } from "../../src/http/api/schemas.ts";
import { createSite, type Site } from "../support/sites.ts";
import { temporaryFolder } from "./support/command.ts";
import { openLocalDatabase, type Server, startServer } from "./support/server.ts";

/** Healthy runs are safe under these; what has died is found within seconds. */
const AT_WORK = {
  UNSAFE_LIMITS: "1",
  HEARTBEAT_EVERY_MS: "1000",
  CRAWL_STEP_PAGES: "4",
  SAVE_EVERY_PAGES: "1",
  CRAWL_CONCURRENCY: "1",
  HEADERS_TIMEOUT_MS: "60000",
};
const SHORT = {
  ...AT_WORK,
  STALE_RUNNING_AFTER_MS: "4000",
  SUSPECT_CONFIRM_MS: "1000",
  INSTANCE_LOST_CONFIRM_MS: "1000",
  PROBE_EVERY_MS: "200",
  SWEEP_BUDGET_MS: "5000",
};
/** Two looks of one chain lie between one and one and a half intervals apart, also on a busy machine. */
const SUPERVISED = { ...SHORT, CRON_INTERVAL_MS: "3000", SUSPECT_CONFIRM_MS: "2000" };
/** The cron is so rare that only looks find anything. */
const POLLED = { ...SHORT, CRON_INTERVAL_MS: "3600000" };

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function serve(state: string, hosts: string[], vars: Record<string, string>): Promise<Server> {
  const server = await startServer(state, hosts, vars);
  servers.push(server);
  return server;
}

async function kill(server: Server): Promise<void> {
  servers.splice(servers.indexOf(server), 1);
  await server.kill9();
}

const page = (title: string, body: string) => ({
  body: `<!doctype html><title>${title}</title><h1>${title}</h1>${body}`,
});
const links = (...paths: string[]): string => paths.map((path) => `<a href="${path}">${path}</a>`).join(" ");

interface Held {
  site: Site;
  /** Pages that the finished audit must have. */
  paths: string[];
  phase: AuditResponse["phase"];
  /** Whether the audit has come to what holds it. */
  isHeld: () => Promise<boolean>;
}

const asked = async (site: Site, path: string): Promise<boolean> =>
  (await site.requests()).some((request) => request.path === path);

async function open(spec: Parameters<typeof createSite>[0]): Promise<Site> {
  const site = await createSite(spec);
  onTestFinished(() => site.close());
  return site;
}

/** A site that is slow at its robots.txt, at a page in the middle of the crawl, or at an image that only is verified. */
async function slowSites(): Promise<Held[]> {
  const paths = ["/", "/a", "/b", "/c", "/d", "/e", "/f"];
  const routes = {
    "/": page("Home", links(...paths.slice(1))),
    ...Object.fromEntries(paths.slice(1).map((path) => [path, page(path, `<img src="/picture.png" alt="x">`)])),
    "/picture.png": { headers: { "content-type": "image/png" }, body: "png" },
  };
  const slow = [
    ["discovering", "/robots.txt", { gate: "go", headers: { "content-type": "text/plain" }, body: "" }],
    ["crawling", "/e", { gate: "go", ...routes["/"] }],
    ["checking_links", "/picture.png", { gate: "go", ...routes["/picture.png"] }],
  ] as const;
  return Promise.all(
    slow.map(async ([phase, path, route]): Promise<Held> => {
      const site = await open({ routes: { ...routes, [path]: route } });
      return { site, paths, phase, isHeld: () => asked(site, path) };
    }),
  );
}

const hostsOf = (held: readonly Held[]): string[] => held.map(({ site }) => site.host);

async function begin(server: Server, { site, isHeld }: Held): Promise<string> {
  const { id } = await server.call<AuditResponse>("POST", "audits", { url: site.origin });
  await expect.poll(isHeld, { timeout: 30_000 }).toBe(true);
  return id;
}

async function failedBy(server: Server, id: string): Promise<AuditResponse> {
  await expect.poll(async () => (await server.audit(id)).status, { timeout: 60_000, interval: 300 }).toBe("failed");
  return server.audit(id);
}

/** Resumes the audit and sees it finish with all that belongs to it, each page once. */
async function finishes(server: Server, id: string, { site, paths }: Held, before: readonly string[]): Promise<void> {
  await site.open("go");
  await server.call("POST", `audits/${id}/resume`);
  await expect.poll(async () => (await server.audit(id)).status, { timeout: 60_000 }).not.toBe("running");
  const audit = await server.audit(id);
  expect(audit).toMatchObject({ status: "completed", attempt: 2, errorCode: null, pagesCrawled: paths.length });
  const urls = (await server.pages(id)).map(({ url }) => url.slice(site.origin.length)).toSorted();
  expect(urls).toEqual(paths.toSorted());
  // What had been saved before the death was not asked for again.
  const requests = (await site.requests()).map(({ path }) => path);
  for (const path of before.filter((saved) => saved !== "/")) {
    expect(
      requests.filter((request) => request === path),
      path,
    ).toHaveLength(1);
  }
}

const pathsOf = async (server: Server, id: string, { site }: Held): Promise<string[]> =>
  (await server.pages(id)).map(({ url }) => url.slice(site.origin.length));

test("killed while discovering, crawling and checking links: the supervisor finds them, and resumes finish them", async () => {
  const state = temporaryFolder();
  const held = await slowSites();
  const first = await serve(state, hostsOf(held), AT_WORK);
  const ids: string[] = [];
  for (const one of held) ids.push(await begin(first, one));
  await kill(first);

  const second = await serve(state, hostsOf(held), SUPERVISED);
  for (const [n, one] of held.entries()) {
    const id = ids[n]!;
    // Nobody looks: the list does not ask.
    const ended = async () => {
      const { items } = await second.call<{ items: AuditResponse[] }>("GET", "audits");
      return items.find((audit) => audit.id === id);
    };
    await expect.poll(async () => (await ended())?.status, { timeout: 60_000, interval: 300 }).toBe("failed");
    const audit = await ended();
    expect(audit).toMatchObject({ errorCode: "heartbeat_lost", endedBy: "watchdog", failedPhase: one.phase });
    expect(audit?.error?.detail).toContain("instance says running");
    await finishes(second, id, one, await pathsOf(second, id, one));
  }
  const runs = await second.call<{ items: { report: { failed: { audit: string }[] } | null }[] }>(
    "GET",
    "supervisor/runs?limit=200",
  );
  const failed = runs.items.flatMap(({ report }) => report?.failed ?? []).map(({ audit }) => audit);
  expect(failed.toSorted()).toEqual(ids.toSorted());
});

test("killed while discovering, crawling and checking links: whoever looks finds them, without the supervisor", async () => {
  const state = temporaryFolder();
  const held = await slowSites();
  const first = await serve(state, hostsOf(held), AT_WORK);
  const ids: string[] = [];
  for (const one of held) ids.push(await begin(first, one));
  await kill(first);

  const second = await serve(state, hostsOf(held), POLLED);
  for (const [n, one] of held.entries()) {
    const id = ids[n]!;
    const audit = await failedBy(second, id);
    expect(audit).toMatchObject({ errorCode: "heartbeat_lost", endedBy: "status_check", failedPhase: one.phase });
    await finishes(second, id, one, await pathsOf(second, id, one));
  }
});

describe("killed while the database works for it", () => {
  /** A write of that phase that takes the database for longer than the test lets it live. */
  const hold = (phase: string): string => `
    create trigger hold before update on audits
    when new.attempt = 1 and old.phase = '${phase}' and new.phase = '${phase}' begin
      select count(*) from (with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000000) select i from n);
    end`;

  test.each(["analyzing", "finishing"] as const)(
    "%s: the supervisor finds it, and a resume finishes it",
    async (phase) => {
      const state = temporaryFolder();
      const site = await open({ routes: { "/": page("Home", links("/a")), "/a": page("A", links("/")) } });
      const held: Held = { site, phase, paths: ["/", "/a"], isHeld: async () => true };
      const first = await serve(state, [site.host], AT_WORK);
      const database = openLocalDatabase(state);
      database.exec(hold(phase));
      database.close();
      const id = await begin(first, held);
      // The database answers nobody any more.
      const answers = async (): Promise<boolean> => {
        const answer = first.audit(id).then(
          () => true,
          () => false,
        );
        return Promise.race([answer, new Promise<boolean>((resolve) => setTimeout(resolve, 1_500, false))]);
      };
      await expect.poll(answers, { timeout: 30_000, interval: 20 }).toBe(false);
      await kill(first);
      const mended = openLocalDatabase(state);
      mended.exec("drop trigger hold");
      mended.close();

      const second = await serve(state, [site.host], SUPERVISED);
      const audit = await failedBy(second, id);
      expect(audit).toMatchObject({ errorCode: "heartbeat_lost", failedPhase: phase, phase });
      expect(["watchdog", "status_check"]).toContain(audit.endedBy);
      await finishes(second, id, held, ["/a"]);
    },
  );
});
