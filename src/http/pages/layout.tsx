/** What every page has around it: the head, the navigation, who is signed in. */
import { raw } from "hono/html";
import type { Child, FC } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppContext } from "../context.ts";
import { MARK, SCRIPT, STYLE } from "./assets.ts";
import { csrfField } from "./csrf.tsx";
import { type Viewer, viewerOf } from "./viewer.ts";

export type Section = "audits" | "supervisor" | "setup" | null;

interface PageOptions {
  /** For the browser's tab, before the product's name. */
  title: string;
  section?: Section;
  status?: ContentfulStatusCode;
  /** The database's clock: what relative times are reckoned from. */
  now?: number;
}

const SECTIONS = [
  { section: "audits", href: "/", text: "Audits" },
  { section: "supervisor", href: "/supervisor", text: "Supervisor" },
  { section: "setup", href: "/setup", text: "Set-up" },
] as const;

/** A whole page. */
export function page(c: AppContext, options: PageOptions, content: Child): Response | Promise<Response> {
  const { title, section = null, status = 200, now = Date.now() } = options;
  const viewer = viewerOf(c);
  return c.html(
    <>
      {raw("<!doctype html>")}
      <html lang="en" data-now={String(now)}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <title>{title} · Pulse Audit</title>
          <link rel="icon" type="image/svg+xml" href={MARK.path} />
          <link rel="stylesheet" href={STYLE.path} />
          <script src={SCRIPT.path} defer></script>
        </head>
        <body>
          <a class="skip" href="#main">
            Skip to the content
          </a>
          <Head c={c} section={section} viewer={viewer} />
          <main id="main" tabindex={-1}>
            {content}
          </main>
          <footer class="foot">
            <p>Pulse Audit. Nothing here says “running” unless it is.</p>
          </footer>
        </body>
      </html>
    </>,
    status,
  );
}

const Head: FC<{ c: AppContext; section: Section; viewer: Viewer | null }> = ({ c, section, viewer }) => (
  <header class="top">
    <a class="brand" href="/">
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
        <rect class="brand-ground" width="32" height="32" rx="8" />
        <path class="brand-line" d="M4 17h6l2.5-7 5 13 3-9 1.5 3H28" />
      </svg>
      <span>Pulse Audit</span>
    </a>
    {viewer === null ? null : (
      <nav aria-label="Main">
        <ul>
          {SECTIONS.map(({ section: name, href, text }) => (
            <li>
              <a href={href} {...(name === section ? { "aria-current": "page" as const } : {})}>
                {text}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    )}
    {viewer === null || viewer.name === null ? null : (
      <form class="signed-in" method="post" action="/sign-out">
        {csrfField(c)}
        <span title="Signed in as">{viewer.name}</span>
        <button type="submit" class="button button-quiet">
          Sign out
        </button>
      </form>
    )}
  </header>
);

/** A text that stays the same as long as nothing that a live part shows has changed. */
async function tagOf(parts: readonly unknown[]): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(parts)));
  return `W/"${Array.from(new Uint8Array(digest).slice(0, 9), (byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}

/**
 * The live part of a page. `parts` is all that it shows, except for the time that passes: unchanged, it is answered with
 * 304 and not drawn. x-now carries the database's clock either way.
 */
export async function livePart(
  c: AppContext,
  { parts, now }: { parts: readonly unknown[]; now: number },
  draw: () => Promise<Child> | Child,
): Promise<Response> {
  const tag = await tagOf(parts);
  c.header("etag", tag);
  c.header("x-now", String(now));
  c.header("cache-control", "private, no-cache");
  if (c.req.header("if-none-match") === tag) return c.body(null, 304);
  return c.html(<>{await draw()}</>);
}

/**
 * Stands around what is kept up to date: the script asks `src` every `everyMs`, for as long as there is one, and draws the
 * whole page anew once `state` has changed.
 */
export const Live: FC<{
  id: string;
  src: string | null;
  everyMs?: number;
  state: string;
  now: number;
  children?: Child;
}> = ({ id, src, everyMs = 2_000, state, now, children }) => (
  <section
    id={id}
    class="live"
    data-state={state}
    data-now={String(now)}
    {...(src === null ? {} : { "data-live": src, "data-every": String(everyMs) })}
    aria-label="Present state"
  >
    {children}
  </section>
);

/** Says whether what is seen is kept up to date; the script fills it. Without one there is a plain link. */
export const LiveBar: FC<{ href: string }> = ({ href }) => (
  <div class="live-bar">
    <noscript>
      <a href={href}>Reload to see what has changed</a>
    </noscript>
    <span data-live-note role="status"></span>
    <button type="button" class="button button-quiet" data-live-pause hidden>
      Pause updates
    </button>
  </div>
);
