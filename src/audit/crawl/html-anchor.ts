/** The link that is open while the reader passes its content. */
import type { Collector } from "./html-collect.ts";
import { oneLine } from "./html-text.ts";
import type { AttributeName } from "./html-tokens.ts";
import { relTokens } from "./html-urls.ts";

const MAX_ANCHOR_TEXT = 200;
/** Text of a link that is gathered before white space is collapsed. */
const MAX_GATHERED = 2_000;

type Attribute = (name: AttributeName) => string | null;

const SCRIPT_LINK =
  /^[\u0000-\u0020]*j[\t\n\r]*a[\t\n\r]*v[\t\n\r]*a[\t\n\r]*s[\t\n\r]*c[\t\n\r]*r[\t\n\r]*i[\t\n\r]*p[\t\n\r]*t[\t\n\r]*:/i; // oxlint-disable-line no-control-regex

export interface AnchorCapture {
  isOpen(): boolean;
  /** A start tag `<a>`; one that is still open ends, since links do not nest (HTML, "a start tag whose tag name is a"). */
  open(attribute: Attribute, href: string | null): void;
  text(text: string): void;
  /** A name that is not text: alt of an image, aria-label of an icon. */
  label(text: string): void;
  close(): void;
}

interface OpenAnchor {
  href: string | null;
  nofollow: boolean;
  text: string;
  label: string;
  onclick: boolean;
  role: string | null;
}

export function createAnchorCapture(collector: Collector): AnchorCapture {
  let anchor: OpenAnchor | null = null;

  function close(): void {
    if (anchor === null) return;
    const { href, nofollow, label, onclick, role } = anchor;
    const text = oneLine(anchor.text, MAX_ANCHOR_TEXT) || oneLine(label, MAX_ANCHOR_TEXT);
    anchor = null;
    // With role=button it says itself that it is no link.
    const isButton = role?.trim().toLowerCase() === "button";
    if (href === null) {
      const isMeantAsLink = role?.trim().toLowerCase() === "link" || (onclick && !isButton);
      if (isMeantAsLink) collector.uncrawlable(`<a ${onclick ? "onclick" : 'role="link"'}>${text}</a>`);
    } else if (SCRIPT_LINK.test(href)) {
      if (!isButton) collector.uncrawlable(`<a href="${href.trim().slice(0, 100)}">${text}</a>`);
    } else {
      collector.link({ href, anchor: text, nofollow, empty: text === "", kind: "a" });
    }
  }

  return {
    isOpen: () => anchor !== null,
    open(attribute, href) {
      close();
      const rel = attribute("rel");
      // A title names an empty link, for Google too.
      const label = attribute("aria-label") || attribute("title") || (attribute("aria-labelledby") ? "(labelled)" : "");
      anchor = {
        href,
        nofollow: rel !== null && relTokens(rel).includes("nofollow"),
        text: "",
        label,
        onclick: attribute("onclick") !== null,
        role: attribute("role"),
      };
    },
    text(text) {
      if (anchor !== null && anchor.text.length < MAX_GATHERED) anchor.text += text;
    },
    label(text) {
      if (anchor !== null && anchor.label === "") anchor.label = text.trim();
    },
    close,
  };
}
