/**
 * Gives every address of an audit its number. The one execution that holds the fence assigns the numbers, so they are
 * dense; what the database already knows is asked for once a batch, and kept.
 */
import type { Database } from "../../storage/database.ts";
import { knownUrls, type NewUrl } from "../../storage/frontier-repository.ts";
import { QUEUE, SOURCE } from "../../storage/schema.ts";

export type Mention = Omit<NewUrl, "id">;

export interface Numbered {
  /** To be inserted in the batch that uses the numbers. */
  created: NewUrl[];
  /** Known from a sitemap only so far, linked now: to be moved up. */
  promoted: { id: number; depth: number; source: number }[];
  /** Known already, and found in a sitemap too. */
  listed: number[];
}

/** Numbers kept in memory: about 10 MB. */
const REMEMBERED = 50_000;

export class AddressBook {
  readonly #db: Database;
  readonly #auditId: string;
  readonly #ids = new Map<string, { id: number; queue: number }>();
  #lastId: number;
  readonly #limit: number;
  /** Addresses that were left out because the audit knows too many already. */
  dropped = 0;

  constructor(db: Database, auditId: string, lastId: number, limit: number) {
    this.#db = db;
    this.#auditId = auditId;
    this.#lastId = lastId;
    this.#limit = limit;
  }

  /** Numbers for all mentions. `admit` is asked once for each page address that is new, and may refuse it with a reason. */
  async number(
    mentions: ReadonlyMap<string, Mention>,
    admit: (mention: Mention) => string | null = () => null,
  ): Promise<Numbered> {
    if (this.#ids.size > REMEMBERED) this.#ids.clear();
    const unknown = [...mentions.keys()].filter((key) => !this.#ids.has(key));
    if (unknown.length > 0 && this.#lastId > 0) {
      for (const { key, id, queue } of await knownUrls(this.#db, this.#auditId, unknown))
        this.#ids.set(key, { id, queue });
    }
    const created: NewUrl[] = [];
    const promoted: Numbered["promoted"] = [];
    const listed: number[] = [];
    for (const [key, mention] of mentions) {
      const known = this.#ids.get(key);
      if (known === undefined) {
        if (this.#lastId >= this.#limit) {
          this.dropped += 1;
          continue;
        }
        this.#lastId += 1;
        this.#ids.set(key, { id: this.#lastId, queue: mention.queue });
        const refusal = mention.refusal ?? (mention.queue <= QUEUE.sitemap ? admit(mention) : null);
        created.push({ ...mention, id: this.#lastId, ...(refusal === null ? {} : { refusal }) });
      } else if (known.queue === QUEUE.sitemap && mention.queue === QUEUE.linked && mention.refusal === undefined) {
        known.queue = QUEUE.linked;
        promoted.push({ id: known.id, depth: mention.depth, source: mention.source });
      } else if (mention.source === SOURCE.sitemap) {
        listed.push(known.id);
      }
    }
    return { created, promoted, listed };
  }

  /** The number of an address that was mentioned; undefined when it was left out. */
  idOf(key: string): number | undefined {
    return this.#ids.get(key)?.id;
  }
}
