/** Adds up seeds, and says what came of them: for people, and as JSON. */
import type { SeedResult } from "./simulate.ts";
import { simulateUsual, type UsualResult } from "./usual.ts";
import { formatDuration } from "../../src/words.ts";

/** What one seed contributes: small enough to be sent between threads. */
export interface SeedSummary {
  seed: number;
  audits: number;
  completed: number;
  violations: string[];
  ours: Figures;
  usual: Figures;
}

interface Figures {
  falseKills: number;
  detections: number[];
  undetected: number;
  statusCalls: number;
  steps: number;
  auditHours: number;
}

export interface DesignReport {
  violations: number;
  false_kills: number;
  detections: number;
  undetected: number;
  detection_ms: { median: number | null; p95: number | null; worst: number | null };
  status_calls: number;
  status_calls_per_audit_hour: number;
  steps: number;
  steps_per_audit_hour: number;
  audit_hours: number;
}

export interface SimulationReport {
  from: number;
  seeds: number;
  audits: number;
  completed: number;
  violations: string[];
  ours: DesignReport;
  usual: DesignReport;
}

export function summarize(result: SeedResult): SeedSummary {
  const { seed, plans } = result.trace;
  const again = `npm run simulate -- --from ${seed} --count 1`;
  const violations = result.violations.map(
    ({ guarantee, audit, what }) => `seed ${seed}: guarantee ${guarantee}, audit ${audit}: ${what}   (${again})`,
  );
  for (const crash of result.crashes) violations.push(`seed ${seed}: nobody expected ${String(crash)}   (${again})`);
  const usual: UsualResult = simulateUsual(result.trace);
  return {
    seed,
    audits: plans.length,
    completed: result.completed,
    violations,
    ours: {
      falseKills: result.falseKills,
      detections: result.detections.map(({ sinceDeath }) => sinceDeath),
      undetected: result.undetected,
      statusCalls: result.statusCalls,
      steps: result.supervisorSteps,
      auditHours: result.auditHours,
    },
    usual,
  };
}

export function report(from: number, seeds: readonly SeedSummary[]): SimulationReport {
  const violations = seeds.flatMap((seed) => seed.violations);
  return {
    from,
    seeds: seeds.length,
    audits: sum(seeds.map(({ audits }) => audits)),
    completed: sum(seeds.map(({ completed }) => completed)),
    violations,
    ours: design(
      seeds.map(({ ours }) => ours),
      violations.length,
    ),
    // The usual design promises one thing only that can be held against it here: to fail what is dead, and nothing else.
    usual: design(
      seeds.map(({ usual }) => usual),
      sum(seeds.map(({ usual }) => usual.falseKills + usual.undetected)),
    ),
  };
}

function design(figures: readonly Figures[], violations: number): DesignReport {
  const detections = figures.flatMap((f) => f.detections).toSorted((a, b) => a - b);
  const at = (share: number) =>
    detections[Math.min(detections.length - 1, Math.floor(detections.length * share))] ?? null;
  const hours = sum(figures.map((f) => f.auditHours));
  const calls = sum(figures.map((f) => f.statusCalls));
  const steps = sum(figures.map((f) => f.steps));
  return {
    violations,
    false_kills: sum(figures.map((f) => f.falseKills)),
    detections: detections.length,
    undetected: sum(figures.map((f) => f.undetected)),
    detection_ms: { median: at(0.5), p95: at(0.95), worst: detections.at(-1) ?? null },
    status_calls: calls,
    status_calls_per_audit_hour: round(calls / Math.max(hours, 1e-9)),
    steps,
    steps_per_audit_hour: round(steps / Math.max(hours, 1e-9)),
    audit_hours: round(hours),
  };
}

export function inWords({ seeds, audits, completed, violations, ours, usual, from }: SimulationReport): string {
  const time = (ms: number | null) => (ms === null ? "none" : formatDuration(ms));
  const rows: [string, string, string][] = [
    ["", "ours", "usual"],
    ["violations", `${ours.violations}`, `${usual.violations}`],
    ["healthy audits failed", `${ours.false_kills}`, `${usual.false_kills}`],
    ["dead audits found", `${ours.detections}`, `${usual.detections}`],
    ["dead and still running at the end", `${ours.undetected}`, `${usual.undetected}`],
    ["detection, median", time(ours.detection_ms.median), time(usual.detection_ms.median)],
    ["detection, 95 %", time(ours.detection_ms.p95), time(usual.detection_ms.p95)],
    [
      "detection, worst",
      time(ours.detection_ms.worst),
      usual.undetected > 0 ? "never" : time(usual.detection_ms.worst),
    ],
    ["status calls per audit hour", `${ours.status_calls_per_audit_hour}`, `${usual.status_calls_per_audit_hour}`],
    ["supervisor steps per audit hour", `${ours.steps_per_audit_hour}`, `${usual.steps_per_audit_hour}`],
  ];
  return [
    `${seeds} seeds from ${from}: ${audits} audits, ${completed} completed`,
    "",
    ...rows.map(([name, a, b]) => `  ${name.padEnd(34)}${a.padStart(16)}${b.padStart(16)}`),
    "",
    violations.length === 0 ? "No guarantee was broken." : "Broken guarantees:",
    ...violations.slice(0, 50).map((line) => `  ${line}`),
    ...(violations.length > 50 ? [`  and ${violations.length - 50} more`] : []),
  ].join("\n");
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
const round = (n: number): number => Math.round(n * 100) / 100;
