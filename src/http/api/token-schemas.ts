/** The shapes of /api/v1/tokens. */
import { z } from "zod";
import { TOKEN_ROLES } from "../../storage/schema.ts";

const ms = z.number().int().describe("milliseconds since the epoch");
const ownerId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "takes small letters, digits and dashes, at most 40");

export const newTokenRequest = z
  .strictObject({
    name: z.string().trim().min(1).max(100).describe("for whom or what it is"),
    role: z.enum(TOKEN_ROLES).describe("read: look at everything; write: also start, cancel, resume, delete"),
    organization: ownerId.optional().describe('whose audits it sees and starts; "default" unless said'),
    project: ownerId.optional().describe('the organization\'s own unless said, "default" in the default one'),
  })
  .describe("A token to make");

export const tokenResponse = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(TOKEN_ROLES),
  organizationId: z.string(),
  projectId: z.string(),
  prefix: z.string().describe("the first characters of the token"),
  createdBy: z.string(),
  createdAt: ms,
  lastUsedAt: ms.nullable().describe("to the hour"),
  revokedAt: ms.nullable(),
});
export type TokenResponse = z.infer<typeof tokenResponse>;

export const madeTokenResponse = tokenResponse.extend({
  token: z.string().describe("the token itself; it is shown this once and cannot be had again"),
});
