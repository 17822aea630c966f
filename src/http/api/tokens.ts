/** /api/v1/tokens: made, listed, revoked by whoever may do everything. */
import { Hono } from "hono";
import type { z } from "zod";
import { newId } from "../../audit/new-id.ts";
import { type TokenRow, TokenRepository } from "../../storage/token-repository.ts";
import { makeToken } from "../auth/tokens.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { Problem } from "../problems.ts";
import { readJson, readTimeAndId } from "./input.ts";
import { readQuery, tokensQuery } from "./parameters.ts";
import { newTokenRequest, type TokenResponse } from "./token-schemas.ts";

export const tokens = new Hono<AppEnv>();

const DEFAULT = "default";

tokens.post("/", async (c) => {
  const { row, token } = await issueToken(c, await readJson(c, newTokenRequest));
  return c.json({ ...present(row), token }, 201, { location: `/api/v1/tokens/${row.id}` });
});

/** Makes a token; what is returned beside its row is the token itself, which cannot be had again. */
export async function issueToken(
  c: AppContext,
  { name, role, organization = DEFAULT, project }: z.infer<typeof newTokenRequest>,
): Promise<{ row: TokenRow; token: string }> {
  // An id of a project is unique, so that no organization can be given another one's.
  const projectId = project ?? (organization === DEFAULT ? DEFAULT : `${organization}-default`.slice(0, 40));
  const { audits, db } = c.var.watch;
  await audits.ensureOwner(organization, projectId);
  if ((await audits.ownerOf(projectId)) !== organization) {
    throw new Problem(
      409,
      "project_taken",
      `The project "${projectId}" belongs to another organization.`,
      "Choose another id for the project.",
    );
  }
  const { token, hash, prefix } = await makeToken();
  const row = await new TokenRepository(db).insert({
    id: newId(),
    organizationId: organization,
    projectId,
    name,
    hash,
    prefix,
    role,
    createdBy: c.var.caller.userId,
  });
  return { row, token };
}

tokens.get("/", async (c) => {
  const { limit = 50, cursor } = readQuery(c, tokensQuery);
  const before = cursor === undefined ? undefined : readTimeAndId(cursor);
  const rows = await new TokenRepository(c.var.watch.db).list(limit + 1, before);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return c.json({
    items: page.map(present),
    nextCursor: rows.length > limit && last !== undefined ? `${last.createdAt}.${last.id}` : null,
  });
});

tokens.delete("/:id", async (c) => {
  const id = c.req.param("id");
  if (await new TokenRepository(c.var.watch.db).revoke(id)) return c.body(null, 204);
  throw new Problem(
    404,
    "token_not_found",
    `There is no token ${id.slice(0, 60)}.`,
    "GET /api/v1/tokens lists the tokens there are; give the id, not the token.",
  );
});

const present = ({ hash: _, ...row }: TokenRow): TokenResponse => row;
