/** A page's links, out and in, and what is known of the other end of each. */
import type { FC } from "hono/jsx";
import { LINK } from "../../../audit/crawl/link-flags.ts";
import type { LinkedAddress } from "../../../storage/page-view-repository.ts";
import { Address, Crawled, Outward } from "../parts/text.tsx";
import type { AuditView } from "./load.ts";
import { StatusCode } from "./pages-table.tsx";
import { reasonWords } from "./reasons.ts";

export interface ShownLink {
  id: number;
  anchor: string;
  flags: number;
}

export const LinkTable: FC<{
  view: AuditView;
  links: readonly ShownLink[];
  addresses: ReadonlyMap<number, LinkedAddress>;
  label: string;
}> = ({ view, links, addresses, label }) => (
  <div class="table-wrap">
    <table class="stack links" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Address</th>
          <th scope="col">Text</th>
          <th scope="col">Answer</th>
        </tr>
      </thead>
      <tbody>
        {links.flatMap((link) => {
          const address = addresses.get(link.id);
          return address === undefined ? [] : [<Row view={view} link={link} address={address} />];
        })}
      </tbody>
    </table>
  </div>
);

const Row: FC<{ view: AuditView; link: ShownLink; address: LinkedAddress }> = ({
  view,
  link: { id, anchor, flags },
  address,
}) => {
  const isPage = address.indexability !== null;
  const notes = [
    (flags & LINK.nofollow) === 0 ? null : "nofollow",
    (flags & LINK.iframe) === 0 ? null : "frame",
    (flags & LINK.area) === 0 ? null : "image map",
    (flags & LINK.external) === 0 ? null : "another site",
  ].filter((note) => note !== null);
  return (
    <tr>
      <th scope="row">
        {isPage ? (
          <a href={`${view.path}/pages/${id}`}>
            <Address url={address.url} base={view.origin} />
          </a>
        ) : (
          <Outward url={address.url}>
            <Address url={address.url} base={view.origin} />
          </Outward>
        )}
        {notes.length === 0 ? null : <span class="sub">{notes.join(", ")}</span>}
      </th>
      <td data-label="Text">
        {anchor === "" ? <span class="quiet">no text</span> : <Crawled text={anchor} limit={120} />}
      </td>
      <td data-label="Answer">
        <AnswerOf address={address} />
      </td>
    </tr>
  );
};

const OUTCOME_WORDS: Readonly<Record<string, string>> = {
  ok: "is there",
  broken: "broken",
  blocked: "could not verify",
  failed: "no answer",
};

const AnswerOf: FC<{ address: LinkedAddress }> = ({
  address: { status, indexability, outcome, targetStatus, refusal },
}) => {
  if (indexability !== null) {
    return (
      <>
        <StatusCode status={status} />{" "}
        {indexability === "indexable" ? null : <span class="quiet">{reasonWords(indexability)}</span>}
      </>
    );
  }
  if (outcome !== null) {
    return (
      <>
        {targetStatus === null ? null : <StatusCode status={targetStatus} />}{" "}
        <span class="quiet">{OUTCOME_WORDS[outcome] ?? outcome}</span>
      </>
    );
  }
  return <span class="quiet">{refusal === null ? "not asked" : `not requested: ${refusal.replaceAll("_", " ")}`}</span>;
};
