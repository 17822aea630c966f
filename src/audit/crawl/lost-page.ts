import type { PageResult } from "./fetch-page.ts";
import type { FetchFailure } from "./fetched.ts";

/** A page of which nothing could be kept but the reason. */
export const lostPage = (url: string, code: FetchFailure, detail: string): PageResult => ({
  fetched: {
    url,
    hops: [],
    finalUrl: url,
    status: null,
    finalStatus: null,
    failure: { code, detail },
    headers: {},
    ttfbMs: null,
    totalMs: null,
    bytes: null,
    truncated: false,
    charset: null,
    botWall: null,
  },
  html: null,
});
