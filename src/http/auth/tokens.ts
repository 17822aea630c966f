/** API tokens: 256 random bits behind a prefix that tells people and secret scanners what it is. */
import { openDatabase } from "../../storage/database.ts";
import { type TokenRow, TokenRepository } from "../../storage/token-repository.ts";
import type { Env } from "../../env.ts";
import { DEFAULT_OWNER, type Identity } from "./identity.ts";
import { randomText, sameSecret, sha256Hex } from "./secret-text.ts";

const FORM = /^pa_[\w-]{43}$/;
export const isTokenForm = (text: string): boolean => FORM.test(text);

/** What of a token is shown later on, so that people tell theirs: the first characters are no help in guessing the rest. */
const SHOWN = 9;

export interface MadeToken {
  token: string;
  hash: string;
  prefix: string;
}

export async function makeToken(): Promise<MadeToken> {
  const token = `pa_${randomText(32)}`;
  return { token, hash: await sha256Hex(token), prefix: token.slice(0, SHOWN) };
}

export const tokenIdentity = ({ id, organizationId, projectId, name, role }: TokenRow): Identity => ({
  userId: `token:${id}`,
  organizationId,
  projectId,
  name,
  role,
  via: "token",
  session: id,
});

export const ADMIN: Identity = {
  ...DEFAULT_OWNER,
  userId: "admin",
  name: "admin",
  role: "admin",
  via: "admin",
  session: "admin",
};

export const isAdminToken = async (given: string, env: Env): Promise<boolean> => {
  const configured = env.ADMIN_TOKEN ?? "";
  return configured !== "" && (await sameSecret(given, configured));
};

/** Null: nobody's token. */
export async function bearerIdentity(given: string, env: Env): Promise<Identity | null> {
  if (await isAdminToken(given, env)) return ADMIN;
  if (!FORM.test(given)) return null;
  const row = await new TokenRepository(openDatabase(env.DB)).use({ hash: await sha256Hex(given) });
  return row === null ? null : tokenIdentity(row);
}
