/**
 * Delivers analytics events from the outbox. An event is written in the same batch as what it tells of, so that it is
 * neither lost nor told twice; here it leaves, as often as it takes, under the same uuid. Nothing here can slow or break
 * an audit: the supervisor calls it, with a limit of time, and failures stay in the outbox.
 */
import { sql } from "drizzle-orm";
import type { Env } from "../env.ts";
import { dbNow } from "../storage/clock.ts";
import { type Database, runBatch } from "../storage/database.ts";
import { analyticsOn } from "./analytics.ts";
import { captureServerEvent, openPostHog, type ServerEvent } from "./posthog.ts";

export interface Delivery {
  delivered: number;
  /** Will be tried again. */
  failed: number;
}

interface OutboxRow {
  uuid: string;
  event: string;
  at: number;
  payload: string;
  tries: number;
}

const AT_ONCE = 100;
/** After so many tries, a week apart from the first one, nobody wants the event any more. */
const MAX_TRIES = 40;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 6 * 3_600_000;
/** A collector that hangs must not hold up the supervisor. */
const DELIVER_FOR_MS = 15_000;

export async function deliverOutbox(env: Env, db: Database): Promise<Delivery> {
  if (!analyticsOn(env)) return { delivered: 0, failed: 0 };
  const rows = await db.all<OutboxRow>(sql`
    select uuid, event, at, payload, tries from analytics_outbox
    where state = 'pending' and next_try_at <= ${dbNow} order by next_try_at limit ${AT_ONCE}`);
  if (rows.length === 0) return { delivered: 0, failed: 0 };
  const posthog = openPostHog(env);
  const until = Date.now() + DELIVER_FOR_MS;
  const delivered: string[] = [];
  const failed: { uuid: string; why: string }[] = [];
  for (const row of rows) {
    if (Date.now() >= until) break;
    const error = await send(posthog, row);
    if (error === null) delivered.push(row.uuid);
    else failed.push({ uuid: row.uuid, why: error.slice(0, 200) });
    // One refusal may be the event's fault; several in a row are the collector's.
    if (delivered.length === 0 && failed.length >= 3) break;
  }
  await runBatch(db, [
    sql`
      update analytics_outbox set state = 'delivered', tries = tries + 1, last_error = null
      where uuid in (select value from json_each(${JSON.stringify(delivered)}))`,
    sql`
      update analytics_outbox set tries = tries + 1, last_error = f.value ->> 'why',
        state = case when tries + 1 >= ${MAX_TRIES} then 'given_up' else state end,
        next_try_at = ${dbNow} + min(${LONGEST_PAUSE_MS}, ${FIRST_PAUSE_MS} << min(tries, 12))
      from json_each(${JSON.stringify(failed)}) f where uuid = f.value ->> 'uuid'`,
  ]);
  return { delivered: delivered.length, failed: failed.length };
}

/** Null: it was taken. An event that cannot be read is the fault of that event alone. */
async function send(posthog: ReturnType<typeof openPostHog>, row: OutboxRow): Promise<string | null> {
  try {
    return await captureServerEvent(posthog, eventOf(row));
  } catch (error) {
    return `the event cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function eventOf(row: OutboxRow): ServerEvent {
  const { distinctId, organization, properties } = JSON.parse(row.payload) as {
    distinctId: string;
    organization: string;
    properties: Record<string, unknown>;
  };
  // What has no value is left out: "absent", not "null".
  const given = Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null));
  return { uuid: row.uuid, event: row.event, at: row.at, distinctId, organization, properties: given };
}
