/** Paging, tabs and filters: all plain links, so that every view has an address. */
import type { Child, FC } from "hono/jsx";

/** The address of this page with some parameters changed; null or "" takes one away. The cursor never survives a change. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | null | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** "First page" and "Next page", where there is one. */
export const Pager: FC<{
  path: string;
  query: Record<string, string | null | undefined>;
  next: string | null;
  what: string;
}> = ({ path, query, next, what }) => {
  const started = query.cursor != null && query.cursor !== "";
  if (!started && next === null) return null;
  return (
    <nav class="pager" aria-label={`More ${what}`}>
      {started ? <a href={withQuery(path, { ...query, cursor: null })}>First page</a> : <span />}
      {next === null ? (
        <span class="quiet">That was all.</span>
      ) : (
        <a rel="next" href={withQuery(path, { ...query, cursor: next })}>
          Next page
        </a>
      )}
    </nav>
  );
};

export interface Tab {
  href: string;
  text: string;
  current: boolean;
  note?: string | null;
}

interface Links {
  label: string;
  tabs: readonly Tab[];
}

const Links: FC<Links & { kind: string; mark: "page" | "true" }> = ({ label, tabs, kind, mark }) => (
  <nav class={kind} aria-label={label}>
    <ul>
      {tabs.map(({ href, text, current, note }) => (
        <li>
          <a href={href} {...(current ? { "aria-current": mark } : {})}>
            {text}
            {note == null ? null : <span class="tab-note num">{note}</span>}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

export const Tabs: FC<Links> = ({ label, tabs }) => <Links kind="tabs" mark="page" label={label} tabs={tabs} />;

/** A row of alternatives, one of which is chosen. */
export const Choices: FC<{ label: string; choices: readonly Tab[] }> = ({ label, choices }) => (
  <Links kind="choices" mark="true" label={label} tabs={choices} />
);

/** A search by GET, so that its answer can be bookmarked. */
export const Search: FC<{
  path: string;
  label: string;
  value: string;
  keep?: Record<string, string | null | undefined>;
}> = ({ path, label, value, keep = {} }) => (
  <form class="search" method="get" action={path} role="search">
    {Object.entries(keep).map(([name, kept]) =>
      kept == null || kept === "" ? null : <input type="hidden" name={name} value={kept} />,
    )}
    <label class="sr" for="q">
      {label}
    </label>
    <input id="q" type="search" name="q" value={value} placeholder={label} maxlength={200} autocomplete="off" />
    <button type="submit" class="button button-quiet">
      Search
    </button>
  </form>
);

/** What an empty place teaches: what would be here, and how it gets here. */
export const Empty: FC<{ title: string; children?: Child }> = ({ title, children }) => (
  <div class="empty">
    <h3>{title}</h3>
    {children}
  </div>
);
