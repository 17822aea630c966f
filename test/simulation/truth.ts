/**
 * What really happened, and what of it breaks a guarantee. The database itself reports every change of an audit through
 * triggers, whoever makes it; the platform's stand-in knows which compute is alive.
 */
import type { Config } from "../../src/config.ts";
import type { Instance, Platform } from "./platform.ts";
import type { SimulatedD1 } from "./sqlite-d1.ts";
import { HOUR, MINUTE, SECOND, type Weather, type Window } from "./weather.ts";
import type { World } from "./world.ts";

export interface Violation {
  guarantee: number;
  audit: string;
  what: string;
}

export interface Detection {
  audit: string;
  how: string;
  code: string;
  /** From the death of the compute to the verdict. Milliseconds. */
  sinceDeath: number;
}

/** How an attempt ended, as the trigger saw it. */
interface Ending {
  audit: string;
  attempt: number;
  status: string;
  by: string;
  code: string | null;
  seq: number;
  beatAt: number;
  dueAt: number;
  at: number;
}

export class Truth {
  readonly violations: Violation[] = [];
  readonly detections: Detection[] = [];
  readonly endings: Ending[] = [];
  /** When each audit began. */
  readonly starts = new Map<string, number>();
  /** Told of every audit that somebody other than its own run has failed. */
  onFailed: (audit: string) => void = () => {};
  /** When a sweep stood still: its looks come late, and may break a chain. */
  readonly slowSweeps: number[] = [];
  falseKills = 0;
  /** Runs that stood still for longer than any run may, and were failed for it. */
  stalledKills = 0;
  readonly #world: World;
  readonly #platform: () => Platform;
  readonly #weather: Weather;
  readonly #config: Config;
  readonly #attemptStarts = new Map<string, number>();

  constructor(world: World, d1: SimulatedD1, platform: () => Platform, weather: Weather, config: Config) {
    this.#world = world;
    this.#platform = platform;
    this.#weather = weather;
    this.#config = config;
    const { sqlite } = d1;
    sqlite.function("simulation_ended", { varargs: true }, (...values) => {
      const [audit, attempt, status, by, code, seq, beatAt, dueAt] = values;
      this.#ended({
        audit: String(audit),
        attempt: Number(attempt),
        status: String(status),
        by: String(by),
        code: code === null ? null : String(code),
        seq: Number(seq),
        beatAt: Number(beatAt),
        dueAt: Number(dueAt),
        at: world.now,
      });
      return null;
    });
    sqlite.function("simulation_started", { varargs: true }, (audit) => {
      this.#attemptStarts.set(String(audit), world.now);
      if (!this.starts.has(String(audit))) this.starts.set(String(audit), world.now);
      return null;
    });
    sqlite.function("simulation_broken", { varargs: true }, (guarantee, audit, what) => {
      this.broken(Number(guarantee), String(audit), String(what));
      return null;
    });
    sqlite.exec(TRIGGERS);
  }

  broken(guarantee: number, audit: string, what: string): void {
    this.violations.push({ guarantee, audit, what });
  }

  #ended(ending: Ending): void {
    this.endings.push(ending);
    if (ending.by !== "watchdog" && ending.by !== "status_check") return;
    this.onFailed(ending.audit);
    const instance = this.#platform().instances.get(`audit-${ending.audit}-${ending.attempt}`);
    const code = ending.code ?? "";
    if (instance === undefined) {
      this.#detected(ending, "never created", 0);
      return;
    }
    const { dead, status } = instance;
    if (dead !== null) {
      this.#detected(ending, this.#howOf(dead.how, ending.seq), dead.at);
      return;
    }
    if (status === "queued" && code === "start_failed") return;
    if (this.#stoodStill(instance)) {
      this.stalledKills += 1;
      return;
    }
    this.falseKills += 1;
    this.broken(
      6,
      ending.audit,
      `${code} although it was alive (${status}), killed by ${ending.by} at +${this.#minutes(ending.at)}`,
    );
  }

  /** A freeze that is longer than the silence that any run is allowed, whatever the limits of this world are. */
  #stoodStill({ freezes }: Instance): boolean {
    const limit = 5 * MINUTE;
    return freezes.some(
      ({ from, to }) => to - from >= limit && this.#world.now >= from && this.#world.now <= to + MINUTE,
    );
  }

  /** An instance that is gone and never beat is given the time of one that was never created. */
  #howOf(how: string, seq: number): string {
    return seq === 0 && how.includes("gone") ? `${how}, never begun` : how;
  }

  #detected(ending: Ending, how: string, deadAt: number): void {
    const began = deadAt === 0 ? (this.#attemptStarts.get(ending.audit) ?? ending.at) : deadAt;
    this.detections.push({ audit: ending.audit, how, code: ending.code ?? "", sinceDeath: ending.at - began });
    const instance = this.#platform().instances.get(`audit-${ending.audit}-${ending.attempt}`);
    const allowed = this.#allowed(how, began, ending.at) + this.#excuse(instance, ending.beatAt, ending.at);
    const due = Math.max(began, ending.dueAt - this.#world.clockOffset);
    const late = ending.at - due - allowed;
    if (late > 0) {
      this.broken(
        5,
        ending.audit,
        `${how}: failed ${this.#words(ending.at - due)} after its promise, allowed ${this.#words(allowed)}`,
      );
    }
  }

  /** The published bound for an unwatched audit, with what the faults of this seed may add. Milliseconds. */
  #allowed(how: string, from: number, to: number): number {
    const { CRON_INTERVAL_MS: interval, STALE_RUNNING_AFTER_MS: stale, SWEEP_BUDGET_MS: sweep } = this.#config;
    let allowed = 2 * interval + sweep;
    if (/running|waiting/.test(how)) allowed += stale;
    if (/unknown/.test(how)) allowed += HOUR + interval;
    if (/never (?:created|begun)/.test(how)) allowed += this.#config.INSTANCE_LOST_GRACE_MS;
    // Each fault costs its own length, one interval until the next sweep, and one for the new chain of looks.
    const near = (window: Window) => window.to >= from - 15 * MINUTE && window.from <= to;
    const { stalls, outages, asleep, machineSleeps, clockSteps, slots } = this.#weather;
    // A look that an outage spoilt backs off: to 2, 4, 8, ... minutes.
    for (const w of outages) if (near(w)) allowed += 2 * (w.to - w.from) + 2 * interval;
    for (const w of [...stalls, ...asleep, ...machineSleeps]) if (near(w)) allowed += w.to - w.from + 2 * interval;
    for (const { at, by } of clockSteps) if (near({ from: at, to: at })) allowed += Math.abs(by) + 2 * interval;
    for (const { at, delivery, diesAtAwait } of slots) {
      if (at >= from && at <= to && (delivery === "missing" || diesAtAwait !== null)) allowed += 2 * interval + sweep;
    }
    for (const at of this.slowSweeps)
      if (at >= from - 2 * interval && at <= to) allowed += 2 * interval + sweep + LONGEST_CHAIN_MS;
    // The breaker holds two sweeps back.
    return allowed + 2 * interval + 30 * SECOND;
  }

  /**
   * An audit that was found queued or held is looked at less and less often, up to every 30 minutes, until it beats again:
   * one that dies before that beat waits for the next look.
   */
  #excuse(instance: Instance | undefined, beatAt: number, now: number): number {
    if (instance === undefined) return 0;
    const lastBeat = beatAt - this.#world.clockOffset;
    let longest = 0;
    instance.history.forEach(({ at, status }, index) => {
      if (status !== "queued" && status !== "paused" && status !== "waitingForPause") return;
      const until = instance.history[index + 1]?.at ?? now;
      if (until >= lastBeat) longest = Math.max(longest, until - at);
    });
    return longest < MINUTE ? 0 : Math.min(30 * MINUTE, 2 * longest) + this.#config.CRON_INTERVAL_MS;
  }

  #minutes(at: number): string {
    return `${((at - this.#weather.start) / MINUTE).toFixed(1)} min`;
  }

  #words(ms: number): string {
    return `${(ms / MINUTE).toFixed(1)} min`;
  }

  /** When all is over: nothing dead may still be said to run, and every end has one event. */
  checkEnd(d1: SimulatedD1): void {
    const rows = d1.sqlite
      .prepare(
        "select id, attempt, heartbeat_seq as seq, heartbeat_at as beatAt, heartbeat_due_at as due from audits where status = 'running'",
      )
      .all() as { id: string; attempt: number; seq: number; beatAt: number; due: number }[];
    for (const { id, attempt, seq, beatAt, due } of rows) {
      const instance = this.#platform().instances.get(`audit-${id}-${attempt}`);
      const began = instance === undefined ? this.#attemptStarts.get(id) : instance.dead?.at;
      if (began === undefined) continue;
      const how = instance?.dead == null ? "never created" : this.#howOf(instance.dead.how, seq);
      const since = Math.max(began, due - this.#world.clockOffset);
      const allowed = this.#allowed(how, began, this.#world.now) + this.#excuse(instance, beatAt, this.#world.now);
      if (this.#world.now - since > allowed) {
        this.broken(5, id, `${how} ${this.#words(this.#world.now - since)} ago and still said to run`);
      }
    }
    const events = d1.sqlite
      .prepare(
        `select t.audit_id as id, t.attempt, t.ended_at is not null as ended,
          (select count(*) from analytics_outbox o where o.audit_id = t.audit_id and o.attempt = t.attempt and o.event = 'site_audit:complete') as events
        from audit_attempts t`,
      )
      .all() as { id: string; attempt: number; ended: number; events: number }[];
    for (const { id, attempt, ended, events: count } of events) {
      if (count !== ended)
        this.broken(4, id, `attempt ${attempt} ${ended === 1 ? "has ended" : "has not ended"} and has ${count} events`);
    }
  }
}

/** What a chain of looks must be at most: that of a run in an announced wait. */
const LONGEST_CHAIN_MS = 5 * MINUTE;

const FINAL_FIELDS = [
  "status",
  "ended_at",
  "ended_by",
  "error_code",
  "error_detail",
  "failed_phase",
  "verdict_id",
  "heartbeat_seq",
];

const TRIGGERS = `
  create trigger simulation_started after insert on audits begin
    select simulation_started(new.id);
  end;
  create trigger simulation_ended after update of status on audits when old.status = 'running' and new.status <> 'running' begin
    select simulation_ended(new.id, new.attempt, new.status, new.ended_by, new.error_code, new.heartbeat_seq, new.heartbeat_at, new.heartbeat_due_at);
  end;
  create trigger simulation_final after update on audits when old.status <> 'running' and new.attempt = old.attempt
    and (${FINAL_FIELDS.map((field) => `new.${field} is not old.${field}`).join(" or ")}) begin
    select simulation_broken(1, new.id, 'changed after it was ' || old.status);
  end;
  create trigger simulation_attempt after update of attempt on audits when new.attempt <> old.attempt
    and (old.status in ('running', 'completed') or new.attempt <> old.attempt + 1) begin
    select simulation_broken(1, new.id, 'attempt ' || new.attempt || ' began while it was ' || old.status);
  end;
  create trigger simulation_resumed after update of attempt on audits when new.attempt <> old.attempt begin
    select simulation_started(new.id);
  end;
  create trigger simulation_judged after update of evidence on audit_attempts when new.ended_by in ('watchdog', 'status_check')
    and json_extract(new.evidence, '$.verdict.seq') <> (select heartbeat_seq from audits where id = new.audit_id) begin
    select simulation_broken(3, new.audit_id, 'heartbeat ' || json_extract(new.evidence, '$.verdict.seq') || ' was judged, a later one was killed');
  end;
  create trigger simulation_page after insert on audit_pages when not exists (
    select 1 from audits where id = new.audit_id and status = 'running' and step_run = new.extras) begin
    select simulation_broken(2, new.audit_id, 'page ' || new.url_id || ' was written beside the fence');
  end;`;
