/** One seed: its audits, their fate, the product that watches them, and what came of it. */
import { type Config, readConfig } from "../../src/config.ts";
import type { Env } from "../../src/env.ts";
import { runAudit } from "./audit-run.ts";
import { Observers } from "./observers.ts";
import { type AuditPlan, drawAudit } from "./plan.ts";
import { type Instance, Platform } from "./platform.ts";
import { Random } from "./random.ts";
import { SimulatedD1 } from "./sqlite-d1.ts";
import { type Detection, Truth, type Violation } from "./truth.ts";
import { databaseWeather, drawWeather, MINUTE, type Weather } from "./weather.ts";
import { World } from "./world.ts";

export interface SeedSize {
  audits: number;
  light: boolean;
}

/** What all designs are compared on. */
export interface Trace {
  seed: number;
  config: Config;
  weather: Weather;
  plans: AuditPlan[];
  instances: ReadonlyMap<string, Instance>;
  starts: ReadonlyMap<string, number>;
  end: number;
}

export interface SeedResult {
  trace: Trace;
  violations: Violation[];
  falseKills: number;
  stalledKills: number;
  detections: Detection[];
  undetected: number;
  statusCalls: number;
  supervisorSteps: number;
  auditHours: number;
  completed: number;
  crashes: unknown[];
  events: number;
}

const START = Date.UTC(2026, 10, 30, 12);

/** Every hundredth seed has ten thousand audits, the others up to fifty. */
export function sizeOf(seed: number): SeedSize {
  if (seed % 100 === 99) return { audits: 10_000, light: true };
  return { audits: new Random(seed, "size").int(1, new Random(seed, "crowd").chance(0.15) ? 50 : 14), light: false };
}

/** `vars` as wrangler would give them: with limits that are too short, healthy audits must be seen to die. */
export async function simulate(
  seed: number,
  size: SeedSize = sizeOf(seed),
  vars: Record<string, string> = {},
): Promise<SeedResult> {
  const limits = { CAPACITY_PER_ORGANIZATION: "10000", ...vars };
  const config = readConfig(limits);
  const random = new Random(seed, "weather");
  const world = new World(START, seed);
  const weather = drawWeather(random, START, size.light ? 3 : 4, config.CRON_INTERVAL_MS);
  const plans = Array.from({ length: size.audits }, (_, i) =>
    drawAudit(new Random(seed, "audit", i), `a${i}`, START, size.light),
  );
  const planOf = new Map(plans.map((plan) => [plan.id, plan]));

  const luck = new Random(seed, "database");
  const d1 = new SimulatedD1(world, () => databaseWeather(weather, luck, world.now));
  const env = { DB: d1, SITE_AUDIT: null, LOCAL_MODE: "", ...limits } as unknown as Env;
  const pace = new Random(seed, "pace");
  const platform: Platform = new Platform(world, new Random(seed, "platform"), weather.outages, (instance, step) =>
    runAudit({ world, env, random: pace }, instance, step),
  );
  env.SITE_AUDIT = platform.binding(({ auditId }) => planOf.get(auditId) ?? raise(auditId)) as Env["SITE_AUDIT"];
  const truth = new Truth(world, d1, () => platform, weather, config);
  for (const { at, by } of weather.clockSteps) {
    world.after(at - START, () => {
      world.clockOffset += by;
    });
  }
  const observers = new Observers({
    world,
    env,
    config,
    platform,
    d1,
    weather,
    plans,
    truth,
    luck: new Random(seed, "observers"),
  });
  observers.schedule();
  putMachinesToSleep(world, weather, platform, observers);

  await world.run(weather.end, () => observers.allIsOver());
  truth.checkEnd(d1);

  const starts = truth.starts;
  const trace: Trace = { seed, config, weather, plans, instances: platform.instances, starts, end: world.now };
  const auditMs = plans.reduce((sum, { id }) => sum + livedFor(id, trace, truth), 0);
  const undetected = observers.undetected();
  const result: SeedResult = {
    trace,
    violations: truth.violations,
    falseKills: truth.falseKills,
    stalledKills: truth.stalledKills,
    detections: truth.detections,
    undetected,
    statusCalls: platform.statusCalls,
    supervisorSteps: observers.steps,
    auditHours: auditMs / (60 * MINUTE),
    completed: truth.endings.filter(({ status }) => status === "completed").length,
    crashes: world.crashes,
    events: world.events,
  };
  d1.sqlite.close();
  return result;
}

/** For how long the audit said `running`. */
function livedFor(id: string, trace: Trace, truth: Truth): number {
  const start = trace.starts.get(id);
  if (start === undefined) return 0;
  return (truth.endings.find(({ audit }) => audit === id)?.at ?? trace.end) - start;
}

/** A sleeping machine: nothing of anybody runs, and the database neither. */
function putMachinesToSleep(world: World, weather: Weather, platform: Platform, observers: Observers): void {
  for (const { from, to } of weather.machineSleeps) {
    weather.stalls.push({ from, to, kind: "queue" });
    world.after(from - weather.start, () => {
      for (const { context } of platform.instances.values()) world.freeze(context, to);
      observers.freeze(to);
    });
  }
}

function raise(id: string): never {
  throw new Error(`no plan for audit ${id}`);
}
