import { raw } from "hono/html";

/** The look of the mailed report: readable in print, in light and in dark, without anything that is loaded. */
export const REPORT_STYLE = raw(`
:root { color-scheme: light dark; --ink: #1b2430; --quiet: #55606e; --line: #d9dee5; --error: #a3201f; --warning: #8a5300; --notice: #33567a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf1; --quiet: #a4afbc; --line: #36404c; --error: #ff9d97; --warning: #f2bd6b; --notice: #9cc4ec; } body { background: #161b22; } }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1rem 4rem; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); font-variant-numeric: tabular-nums; }
h1 { font-size: 1.6rem; overflow-wrap: anywhere; margin: 0 0 .5rem; } h2 { margin-top: 2.5rem; } h3 { margin-bottom: .25rem; font-size: 1.05rem; }
.brand { margin: 0; font-weight: 600; color: var(--quiet); } .quiet { color: var(--quiet); } p { max-width: 42rem; }
.error { color: var(--error); } .warning { color: var(--warning); } .notice { color: var(--notice); }
.url { overflow-wrap: anywhere; font-weight: 500; } code { font-size: .85em; color: var(--quiet); }
.numbers { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 1.5rem 0; } .numbers div { display: flex; flex-direction: column-reverse; } .numbers dt { color: var(--quiet); } .numbers dd { margin: 0; font-size: 1.5rem; font-weight: 600; }
section { border-top: 1px solid var(--line); padding: .75rem 0; } li { margin: .5rem 0; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); }
`);
