/** The form that starts an audit: an address and a button, and behind a fold everything else that can be asked for. */
import type { Child, FC } from "hono/jsx";
import type { AppContext } from "../../context.ts";
import { csrfField } from "../csrf.tsx";
import { count } from "../words.ts";
import { OPTION_FIELDS, type StartFields } from "./read-start-form.ts";

interface Props {
  c: AppContext;
  fields: StartFields;
  problem: { message: string; hint: string | null } | null;
}

export const StartForm: FC<Props> = ({ c, fields, problem }) => {
  const { config } = c.var.watch;
  const most = config.MAX_PAGES;
  return (
    <section class="start" aria-labelledby="start">
      <h2 id="start">Start an audit</h2>
      {problem === null ? null : (
        <p class="notice notice-bad" role="alert" id="start-problem">
          {problem.message} {problem.hint}
        </p>
      )}
      <form method="post" action="/audits" class="form">
        {csrfField(c)}
        <input type="hidden" name="once" value={crypto.randomUUID()} />
        <div class="start-row">
          <Field label="Address of the site" wide>
            <input
              name="url"
              type="text"
              inputmode="url"
              required
              maxlength={2048}
              placeholder="https://example.com"
              value={fields.url}
              autocomplete="url"
              autocapitalize="none"
              spellcheck={false}
              {...(problem === null ? {} : { "aria-describedby": "start-problem" })}
            />
          </Field>
          <Field label="Pages at most">
            <input
              name="maxPages"
              type="number"
              min={1}
              max={most}
              step={1}
              placeholder={String(Math.min(config.DEFAULT_MAX_PAGES, most))}
              value={fields.maxPages}
            />
          </Field>
          <button type="submit" class="button button-main">
            Start the audit
          </button>
        </div>
        <details class="options" open={problem !== null && hasOptions(fields)}>
          <summary>All options</summary>
          <Options fields={fields} most={most} />
        </details>
      </form>
    </section>
  );
};

const hasOptions = (fields: StartFields): boolean => OPTION_FIELDS.some((name) => fields[name] !== "");

const Field: FC<{ label: string; help?: string; wide?: boolean; children?: Child }> = ({
  label,
  help,
  wide = false,
  children,
}) => (
  <label class={wide ? "field field-wide" : "field"}>
    <span>{label}</span>
    {children}
    {help === undefined ? null : <small>{help}</small>}
  </label>
);

const Check: FC<{ name: string; label: string; help: string; on: boolean }> = ({ name, label, help, on }) => (
  <label class="field field-check">
    <input type="checkbox" name={name} value="1" checked={on} />
    <span>
      {label}
      <small>{help}</small>
    </span>
  </label>
);

const Options: FC<{ fields: StartFields; most: number }> = ({ fields, most }) => (
  <div class="option-groups">
    <fieldset>
      <legend>What belongs to it</legend>
      <Field label="Only pages like" help="One path a line; * stands for anything: /blog/*">
        <textarea name="include" rows={3} spellcheck={false}>
          {fields.include}
        </textarea>
      </Field>
      <Field label="No pages like" help="One path a line: /cart, */print">
        <textarea name="exclude" rows={3} spellcheck={false}>
          {fields.exclude}
        </textarea>
      </Field>
      <Field label="Clicks at most" help="From the start page; empty: no limit">
        <input name="maxDepth" type="number" min={0} max={100} value={fields.maxDepth} />
      </Field>
      <Field label="Parameters to ignore" help="Query parameters that do not tell pages apart: sort, ref">
        <input name="ignoreParameters" type="text" value={fields.ignoreParameters} spellcheck={false} />
      </Field>
      <Check
        name="subdomains"
        label="With subdomains"
        help="Hosts below the site’s own belong to it"
        on={fields.subdomains !== ""}
      />
    </fieldset>
    <fieldset>
      <legend>Instead of following links</legend>
      <Field label="Only these addresses" help={`One a line, at most ${count(most)}; no link is followed`}>
        <textarea name="list" rows={6} spellcheck={false}>
          {fields.list}
        </textarea>
      </Field>
      <Check
        name="sitemapOnly"
        label="Only what the sitemaps list"
        help="No link is followed"
        on={fields.sitemapOnly !== ""}
      />
    </fieldset>
    <fieldset>
      <legend>How it asks</legend>
      <Field label="Pause between requests" help="Milliseconds; robots.txt may ask for more">
        <input name="requestDelayMs" type="number" min={0} max={10000} value={fields.requestDelayMs} placeholder="0" />
      </Field>
      <Field label="User-Agent" help="Instead of our own; robots.txt rules for it apply">
        <input name="userAgent" type="text" maxlength={300} value={fields.userAgent} spellcheck={false} />
      </Field>
      <Field label="Headers" help="Name: value, one a line. Sent to this site only, kept encrypted, never shown">
        <textarea name="headers" rows={2} spellcheck={false} autocomplete="off"></textarea>
      </Field>
      <div class="pair">
        <Field label="User name">
          <input
            name="username"
            type="text"
            maxlength={200}
            value={fields.username}
            autocomplete="off"
            spellcheck={false}
          />
        </Field>
        <Field label="Password">
          <input name="password" type="password" maxlength={200} autocomplete="new-password" />
        </Field>
      </div>
    </fieldset>
  </div>
);
