/** The rows of `api_tokens`. Whoever holds a token is found by its hash; the token itself is never stored. */
import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import { dbNow } from "./clock.ts";
import { changes, type Database, runBatch } from "./database.ts";
import { apiTokens, type TokenRole } from "./schema.ts";

export type TokenRow = typeof apiTokens.$inferSelect;

export interface NewToken {
  id: string;
  organizationId: string;
  projectId: string;
  name: string;
  hash: string;
  prefix: string;
  role: TokenRole;
  createdBy: string;
}

/** `last_used_at` is written at most so often. Milliseconds. */
const USE_NOTED_EVERY_MS = 3_600_000;

export class TokenRepository {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async insert(token: NewToken): Promise<TokenRow> {
    const [row] = await this.#db
      .insert(apiTokens)
      .values({ ...token, createdAt: dbNow })
      .returning();
    if (row === undefined) throw new Error("the token was not written");
    return row;
  }

  /** Null: unknown or revoked. Its use is noted; that the note fails is no reason to refuse. */
  async use(by: { hash: string } | { id: string }): Promise<TokenRow | null> {
    const [found] = await this.#db
      .select({ token: apiTokens, now: dbNow })
      .from(apiTokens)
      .where(and("hash" in by ? eq(apiTokens.hash, by.hash) : eq(apiTokens.id, by.id), isNull(apiTokens.revokedAt)));
    if (found === undefined) return null;
    const { token, now } = found;
    if (token.lastUsedAt === null || now - token.lastUsedAt >= USE_NOTED_EVERY_MS) {
      await runBatch(this.#db, [sql`update api_tokens set last_used_at = ${dbNow} where id = ${token.id}`]).catch(
        () => {},
      );
    }
    return token;
  }

  /** Newest first. */
  list(limit: number, before?: { createdAt: number; id: string }): Promise<TokenRow[]> {
    return this.#db
      .select()
      .from(apiTokens)
      .where(
        before === undefined
          ? undefined
          : or(
              lt(apiTokens.createdAt, before.createdAt),
              and(eq(apiTokens.createdAt, before.createdAt), lt(apiTokens.id, before.id)),
            ),
      )
      .orderBy(desc(apiTokens.createdAt), desc(apiTokens.id))
      .limit(limit);
  }

  /** False: there is no such token. Revoking again changes nothing. */
  async revoke(id: string): Promise<boolean> {
    const results = await runBatch(this.#db, [
      sql`update api_tokens set revoked_at = coalesce(revoked_at, ${dbNow}) where id = ${id}`,
    ]);
    return changes(results) > 0;
  }
}
