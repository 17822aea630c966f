import { createDecoder } from "./encoding.ts";
import { createHtmlReader, type HtmlReader } from "./html.ts";
import type { HtmlFacts } from "./html-facts.ts";
import { isHtmlContentType, looksLikeHtml } from "./sniff.ts";

/** A body that should be HTML: decoded piece by piece, looked at first where no Content-Type says what it is. */
export class HtmlBody {
  readonly #decoder: ReturnType<typeof createDecoder>;
  readonly #options: { url: string; maxBytes: number };
  #isHtml: boolean | null;
  #reader: HtmlReader | null = null;

  constructor(options: { url: string; maxBytes: number; contentType: string | null }) {
    const { contentType } = options;
    this.#options = options;
    this.#decoder = createDecoder({ contentType });
    this.#isHtml = contentType === null || contentType.trim() === "" ? null : isHtmlContentType(contentType);
  }

  /** False: it is something else; null: that is not known yet. */
  get isHtml(): boolean | null {
    return this.#isHtml;
  }

  get charset(): string | null {
    return this.#decoder.charset;
  }

  /** False: the rest is not wanted. */
  take(bytes: Uint8Array): boolean {
    return this.#text(this.#decoder.write(bytes));
  }

  /** Null: it was no HTML. */
  end(): HtmlFacts | null {
    this.#text(this.#decoder.end());
    return this.#isHtml === false ? null : this.#open().end();
  }

  #text(text: string): boolean {
    if (text !== "") this.#isHtml ??= looksLikeHtml(text);
    if (this.#isHtml === false) return false;
    if (text !== "") this.#open().write(text);
    return true;
  }

  #open(): HtmlReader {
    this.#reader ??= createHtmlReader({ ...this.#options, charset: this.charset });
    return this.#reader;
  }
}
