/** How long the steps of an audit may take, so that a step that works is never cut off, and one that hangs is. */
import { BEAT_RETRY_FOR_MS, type Config, MAX_REQUEST_DELAY_MS } from "../config.ts";
import { MAX_REDIRECTS, requestLimitMs } from "./crawl/request.ts";

const longestRequestMs = (config: Config): number =>
  requestLimitMs({ headersTimeoutMs: config.HEADERS_TIMEOUT_MS, bodyTimeoutMs: config.BODY_TIMEOUT_MS });

/**
 * What a crawl step allows the pages that are under way when its time is up: to be asked twice and to wait once for as
 * long as a site may ask for. What has not ended by then is left to the next step. Milliseconds.
 */
export const drainMs = (config: Config): number =>
  2 * longestRequestMs(config) + config.RETRY_DELAY_MS + config.MAX_RETRY_AFTER_MS;

/**
 * What discovery may take besides the time that it gives to sitemaps: start page and robots.txt twice each, one sitemap
 * that began just before, and the probe. Milliseconds.
 */
export const discoveryTailMs = (config: Config): number =>
  7 * (longestRequestMs(config) + (MAX_REDIRECTS + 1) * MAX_REQUEST_DELAY_MS) +
  3 * config.BODY_TIMEOUT_MS +
  2 * config.RETRY_DELAY_MS +
  config.MAX_RETRY_AFTER_MS;

/**
 * A step's timeout exceeds all that a step may take: its own time, what may follow it, and the time for which a beat is
 * tried again. Milliseconds.
 */
export const stepTimeoutMs = (config: Config): number =>
  config.CRAWL_STEP_MS + Math.max(drainMs(config), discoveryTailMs(config)) + BEAT_RETRY_FOR_MS + 60_000;
