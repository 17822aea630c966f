/**
 * One step of link checking: addresses on other hosts, images, scripts and styles that pages point at, a hundred at a
 * time, politely for each host.
 */
import { insertRows } from "../../storage/insert-rows.ts";
import { type FrontierUrl, frontierCounts, markDone, waitingUrls } from "../../storage/frontier-repository.ts";
import { fenceHolds } from "../../storage/fence.ts";
import { QUEUE } from "../../storage/schema.ts";
import { requestRules, type StepContext } from "../audit-context.ts";
import { prepareCrawl } from "../crawl/prepare-crawl.ts";
import { forbiddenTarget, targetLimitMs, type VerifiedTarget, verifyTarget } from "../crawl/verify-target.ts";

export interface CheckTargetsResult {
  /** Targets verified in the whole audit. */
  checked: number;
  broken: number;
  blocked: number;
  done: boolean;
}

/** Requests to one host at once: links are verified, not crawled. */
const PER_HOST = 2;
const WORKERS = 6;
const SAVE_EVERY = 25;

const COLUMNS = ["audit_id", "url_id", "checked_at", "outcome", "status", "failure", "bytes", "content_type", "detail"];

export async function checkTargets(context: StepContext): Promise<CheckTargetsResult> {
  const { db, auditId, config, pulse } = context;
  const before = await frontierCounts(db, auditId);
  const room = Math.min(config.TARGETS_STEP, config.MAX_TARGETS - before.targetsDone);
  const waiting = room <= 0 ? [] : await waitingUrls(db, auditId, [QUEUE.external, QUEUE.resource], room);
  const stop = new AbortController();
  const own = await requestRules({ ...context, options: { ...context.options, requestDelayMs: 0 } });
  const { mayAsk } = await prepareCrawl(context);
  const rules = { ...own, stop: stop.signal };
  // What lies on the audited site itself is asked for within its robots.txt, like its pages.
  const verify = async (url: string): Promise<VerifiedTarget> =>
    (await mayAsk(url)) ? verifyTarget(url, rules) : forbiddenTarget();
  const endAt = Date.now() + config.CRAWL_STEP_MS;
  const turns = takeTurns(waiting);
  const tally = { checked: before.targetsDone, broken: 0, blocked: 0 };
  let finished: { id: number; target: VerifiedTarget }[] = [];

  const save = async (): Promise<void> => {
    if (finished.length === 0) return;
    const rows = finished;
    finished = [];
    await pulse.save([
      ...insertRows(
        "audit_targets",
        COLUMNS,
        rows.map(({ id, target: t }) => [
          auditId, id, Date.now(), t.outcome, t.status, t.failure, t.bytes, t.contentType, t.detail,
        ]), // prettier-ignore
        fenceHolds(pulse.fence),
      ),
      markDone(
        pulse.fence,
        rows.map(({ id }) => id),
      ),
    ]);
    tally.checked += rows.length;
  };

  const work = async (): Promise<void> => {
    while (Date.now() < endAt && !stop.signal.aborted) {
      pulse.assertCurrent();
      const turn = await turns.next();
      if (turn === null) return;
      const target = await pulse.during(targetLimitMs(rules), () => verify(turn.url.url)).finally(turn.release);
      if (target.outcome === "broken") tally.broken += 1;
      if (target.outcome === "blocked") tally.blocked += 1;
      finished.push({ id: turn.url.id, target });
      if (finished.length >= SAVE_EVERY) await save();
    }
  };
  try {
    await Promise.all(Array.from({ length: WORKERS }, work));
    await save();
  } finally {
    // When one of them failed, the others end as well.
    stop.abort();
  }
  await pulse.savePhase({ checked: tally.checked, broken: tally.broken, blocked: tally.blocked });
  const left = before.targetsWaiting - (tally.checked - before.targetsDone);
  return { ...tally, done: left <= 0 || tally.checked >= config.MAX_TARGETS };
}

/** Hands out addresses so that no host has more than PER_HOST requests at once. Null: all are given out. */
function takeTurns(urls: readonly FrontierUrl[]) {
  const left = [...urls];
  const busy = new Map<string, number>();
  let waiters: (() => void)[] = [];
  return {
    async next(): Promise<{ url: FrontierUrl; release: () => void } | null> {
      for (;;) {
        if (left.length === 0) return null;
        const index = left.findIndex(({ url }) => (busy.get(new URL(url).host) ?? 0) < PER_HOST);
        const [url] = index === -1 ? [] : left.splice(index, 1);
        if (url === undefined) {
          await new Promise<void>((resolve) => waiters.push(resolve));
          continue;
        }
        const { host } = new URL(url.url);
        busy.set(host, (busy.get(host) ?? 0) + 1);
        const release = (): void => {
          busy.set(host, (busy.get(host) ?? 1) - 1);
          const woken = waiters;
          waiters = [];
          for (const wake of woken) wake();
        };
        return { url, release };
      }
    },
  };
}
