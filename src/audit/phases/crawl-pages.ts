/**
 * One crawl step: takes what waits in the frontier, breadth first, until it has crawled its number of pages, its time is
 * up, or nothing waits any more. Every save is one batch: pages, their findings, new addresses, and a heartbeat.
 */
import { sql } from "drizzle-orm";
import { fetchPage, type PageResult } from "../crawl/fetch-page.ts";
import { createTrapGuard, type TrapGuard } from "../crawl/traps.ts";
import { AddressBook, type Mention } from "../crawl/address-book.ts";
import { type CrawledPage, collectMentions } from "../crawl/page-rows.ts";
import { savePagesStatements } from "../crawl/save-pages.ts";
import { type FrontierUrl, frontierCounts, pagesWait, waitingUrls } from "../../storage/frontier-repository.ts";
import { fenceHolds } from "../../storage/fence.ts";
import { QUEUE, SOURCE } from "../../storage/schema.ts";
import type { StepContext } from "../audit-context.ts";
import { drainMs } from "../step-limits.ts";
import { judgeCrawledPage } from "../crawl/judge-page.ts";
import { lostPage } from "../crawl/lost-page.ts";
import { type CrawlTools, prepareCrawl } from "../crawl/prepare-crawl.ts";

export interface CrawlStepResult {
  /** Pages that this execution crawled. */
  pages: number;
  /** Pages crawled in the whole audit. */
  crawled: number;
  known: number;
  /** Nothing waits any more, or the crawl must not go on. */
  done: boolean;
  /** Why it stops although something waits. */
  cutBy: "pages" | "time" | "blocked" | null;
}

/**
 * Pages under way at once: twice as many as may wait for headers, so that all of these are followed by others when they
 * come at the same moment, before a single body has been read.
 */
const WORKERS = 12;
/** A save at least so often while pages come in, so that whoever watches sees them. Milliseconds. */
const SAVE_EVERY_MS = 1_000;
/** So many pages are saved sooner: small saves fit in between the answers of a slow site, large ones hold them up. */
const SMALL_SAVE = { pages: 25, ms: 200 };
/** A save at the latest when the pages that wait for it had so many bytes: what is known of them takes memory. */
const SAVE_EVERY_BYTES = 5_000_000;
/** So many refusals in a row mean that the site does not want to be crawled. */
const REFUSALS_UNTIL_BLOCKED = 20;

export async function crawlPages(context: StepContext): Promise<CrawlStepResult> {
  const step = await CrawlStep.begin(context);
  return step.run();
}

class CrawlStep {
  readonly #context: StepContext;
  readonly #tools: CrawlTools;
  readonly #book: AddressBook;
  readonly #limit: number;
  readonly #beganAt = Date.now();
  readonly #endAt: number;
  /** What is under way at this moment is given up. */
  readonly #giveUpAt: number;
  readonly #stop = new AbortController();
  readonly #stopped = new Promise<null>((resolve) => {
    this.#stop.signal.addEventListener("abort", () => resolve(null), { once: true });
  });
  readonly #traps: TrapGuard;
  readonly #taken = new Set<number>();
  #queue: FrontierUrl[] = [];
  #finished: CrawledPage[] = [];
  #inFlight = 0;
  #saved = 0;
  #crawledBefore: number;
  #known: number;
  #savedAt = Date.now();
  #looking: Promise<void> | null = null;
  #saving: Promise<void> = Promise.resolve();
  #exhausted = false;
  #failed = false;
  /** Addresses of other origins of the site that their own robots.txt forbids. */
  #forbidden: number[] = [];
  #refusals = 0;
  #completions = 0;
  #completionsSeen = 0;
  #wakeUps: (() => void)[] = [];

  private constructor(context: StepContext, tools: CrawlTools, counts: Awaited<ReturnType<typeof frontierCounts>>) {
    const { config, options, db, auditId } = context;
    this.#context = context;
    this.#tools = tools;
    this.#book = new AddressBook(db, auditId, counts.lastId, addressLimit(options.maxPages));
    this.#crawledBefore = counts.pagesDone;
    this.#known = counts.pagesKnown;
    this.#limit = Math.min(config.CRAWL_STEP_PAGES, options.maxPages - counts.pagesDone);
    this.#endAt = this.#beganAt + config.CRAWL_STEP_MS;
    this.#giveUpAt = this.#endAt + drainMs(config);
    this.#tools.rules.stop = this.#stop.signal;
    this.#traps = createTrapGuard(tools.traps ?? undefined);
  }

  static async begin(context: StepContext): Promise<CrawlStep> {
    return new CrawlStep(context, await prepareCrawl(context), await frontierCounts(context.db, context.auditId));
  }

  async run(): Promise<CrawlStepResult> {
    const timer = setTimeout(() => this.#stop.abort(), this.#giveUpAt - this.#beganAt);
    try {
      await Promise.all(Array.from({ length: WORKERS }, () => this.#work()));
      await this.#save();
    } catch (error) {
      this.#failed = true;
      throw error;
    } finally {
      // When one of them failed, the others end as well: the next try begins with what is saved.
      this.#stop.abort();
      clearTimeout(timer);
    }
    const crawled = this.#crawledBefore + this.#saved;
    const { db, auditId } = this.#context;
    const isEmpty = this.#exhausted || !(await pagesWait(db, auditId));
    const cutBy = isEmpty ? null : this.#cutBy(crawled);
    await this.#close(crawled, cutBy);
    return { pages: this.#saved, crawled, known: this.#known, done: isEmpty || cutBy !== null, cutBy };
  }

  /** The step's last words: what the trap guard has learnt, why the crawl stops, and the closing beat. */
  async #close(crawled: number, cutBy: CrawlStepResult["cutBy"]): Promise<void> {
    const { pulse, auditId } = this.#context;
    const learnt = sql`
      update audit_discoveries set traps = ${JSON.stringify(this.#traps.state())}, cut_by = ${cutBy}
      where audit_id = ${auditId} and ${fenceHolds(pulse.fence)}`;
    await pulse.savePhase({ crawled, known: this.#known, leftOut: this.#book.dropped }, {}, [learnt]);
  }

  #observe({ fetched, html }: CrawledPage): void {
    const text = `${html?.titles[0] ?? ""}\n${html?.textStart ?? ""}`;
    this.#traps.observe({
      url: new URL(fetched.url),
      isOk: fetched.finalStatus === 200,
      minhash: html?.minhash ?? null,
      text,
    });
  }

  #cutBy(crawled: number): CrawlStepResult["cutBy"] {
    if (this.#refusals >= REFUSALS_UNTIL_BLOCKED) return "blocked";
    const { ageMs, config } = this.#context;
    if (ageMs + (Date.now() - this.#beganAt) > config.AUDIT_TIME_BUDGET_MS) return "time";
    return crawled >= this.#context.options.maxPages ? "pages" : null;
  }

  async #work(): Promise<void> {
    for (;;) {
      const next = await this.#next();
      if (next === null) return;
      try {
        const page = await this.#crawl(next);
        if (page !== null) this.#finished.push(page);
      } finally {
        this.#inFlight -= 1;
        this.#completions += 1;
        this.#wake();
      }
      if (this.#isSaveDue()) await this.#save();
    }
  }

  #isSaveDue(): boolean {
    const { SAVE_EVERY_PAGES } = this.#context.config;
    const count = this.#finished.length;
    const passed = Date.now() - this.#savedAt;
    if (count >= SAVE_EVERY_PAGES || passed >= SAVE_EVERY_MS) return true;
    if (count >= SMALL_SAVE.pages && passed >= SMALL_SAVE.ms) return true;
    return this.#finished.reduce((sum, { fetched }) => sum + (fetched.bytes ?? 0), 0) >= SAVE_EVERY_BYTES;
  }

  /** The next address, or null when this step has had enough. Looks into the frontier when it has nothing at hand. */
  async #next(): Promise<FrontierUrl | null> {
    for (;;) {
      this.#context.pulse.assertCurrent();
      if (this.#stop.signal.aborted) return null;
      if (this.#taken.size >= this.#limit || Date.now() >= this.#endAt || this.#refusals >= REFUSALS_UNTIL_BLOCKED)
        return null;
      const next = this.#queue.shift();
      if (next !== undefined) {
        this.#taken.add(next.id);
        this.#inFlight += 1;
        return next;
      }
      if (this.#exhausted) return null;
      this.#looking ??= this.#look().finally(() => (this.#looking = null));
      await this.#looking;
      // A page that finished during the look may have brought addresses that it did not see.
      if (this.#queue.length > 0 || this.#exhausted || this.#completions !== this.#completionsSeen) continue;
      await new Promise<void>((resolve) => this.#wakeUps.push(resolve));
    }
  }

  async #look(): Promise<void> {
    this.#completionsSeen = this.#completions;
    await this.#save();
    const underWay = this.#inFlight;
    const { db, auditId } = this.#context;
    const room = this.#limit - this.#taken.size;
    const waiting = await waitingUrls(
      db,
      auditId,
      [QUEUE.linked, QUEUE.sitemap],
      room + underWay + this.#finished.length,
    );
    this.#queue = waiting.filter(({ id }) => !this.#taken.has(id)).slice(0, room);
    const isIdle = underWay === 0 && this.#finished.length === 0 && this.#forbidden.length === 0;
    if (this.#queue.length === 0 && isIdle) this.#exhausted = true;
    if (this.#queue.length > 0 || this.#exhausted) this.#wake();
  }

  #wake(): void {
    const waiting = this.#wakeUps;
    this.#wakeUps = [];
    for (const resolve of waiting) resolve();
  }

  /** Null: it was given up, and waits for the next step. */
  async #crawl(next: FrontierUrl): Promise<CrawledPage | null> {
    if (!(await this.#mayAsk(next))) {
      this.#forbidden.push(next.id);
      return null;
    }
    const result = await this.#fetch(next);
    if (result === null) return null;
    this.#refusals = result.fetched.botWall === null ? 0 : this.#refusals + 1;
    return this.#judge(next, result);
  }

  /** The audited origin's own rules were asked when the address was found; the start page was asked for by a person. */
  #mayAsk({ url, source }: FrontierUrl): boolean | Promise<boolean> {
    const isJudged = (source & SOURCE.start) !== 0 || new URL(url).origin === this.#tools.siteOrigin;
    if (isJudged) return true;
    const asked = Promise.resolve(this.#tools.mayAsk(url));
    return this.#context.pulse.during(this.#giveUpAt - Date.now(), () =>
      Promise.race([asked, this.#stopped.then(() => true)]),
    );
  }

  async #fetch(next: FrontierUrl): Promise<PageResult | null> {
    const { pulse } = this.#context;
    const fetching = fetchPage(next.url, this.#tools.rules);
    const result = await pulse.during(this.#giveUpAt - Date.now(), () => Promise.race([fetching, this.#stopped]));
    if (result !== null) return result;
    fetching.catch(() => {});
    // A step that was given up without a single page would be given up for ever.
    const isStuck = !this.#failed && this.#saved + this.#finished.length === 0;
    return isStuck ? lostPage(next.url, "timeout_headers", "no answer within the whole time of a crawl step") : null;
  }

  /** One page that breaks the reading of it must not end the audit of all others. */
  #judge(next: FrontierUrl, result: PageResult): CrawledPage {
    try {
      return judgeCrawledPage(next, result, this.#tools);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      console.warn("a page could not be judged:", next.url.slice(0, 300), why.slice(0, 300));
      return judgeCrawledPage(next, lostPage(next.url, "network", "its content could not be read"), this.#tools);
    }
  }

  /** One save after the other; what finishes meanwhile goes with the next. After a failed one nothing is saved. */
  #save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#saveFinished());
    return this.#saving;
  }

  async #saveFinished(): Promise<void> {
    if (this.#failed || (this.#finished.length === 0 && this.#forbidden.length === 0)) return;
    const [pages, forbidden] = [this.#finished, this.#forbidden];
    this.#finished = [];
    this.#forbidden = [];
    this.#savedAt = Date.now();
    const { pulse, options } = this.#context;
    const { judge } = this.#tools;
    const mentions = new Map<string, Mention>();
    for (const page of pages) collectMentions(page, judge, mentions);
    for (const page of pages) this.#observe(page);
    const { created, promoted } = await this.#book.number(mentions, ({ url, depth }) =>
      this.#traps.admit(new URL(url), depth),
    );
    const statements = savePagesStatements(pulse.fence, { pages, forbidden, created, promoted }, judge, this.#book);
    this.#known -= forbidden.length;
    this.#known += created.filter((url) => url.queue <= QUEUE.sitemap && url.refusal === undefined).length;
    const crawled = this.#crawledBefore + this.#saved + pages.length;
    await pulse.save(statements, { pagesCrawled: crawled, pagesTotal: Math.min(this.#known, options.maxPages) });
    this.#saved += pages.length;
  }
}

/** Addresses of any kind that one audit keeps: bounds its rows whatever the site links to. */
const addressLimit = (maxPages: number): number => Math.min(500_000, 20_000 + maxPages * 40);
