import type { z } from "zod";
import { type AuthenticatedCall, list, notFound, type Queryable } from "#kit";
import * as queries from "#sql/oauth-clients";
import type { Creator, OAuthClient, OAuthClientQuery } from "./schemas.ts";

/** Whose clients: those of an organization or, with null, of the operator. */
export type Owner = { organizationId: string | null };

type Row = Awaited<ReturnType<typeof queries.findOauthClient.run>>[number];

export const presentCreator = (row: {
  createdById: string | null;
  creatorEmail: string | null;
}): z.output<typeof Creator> | null =>
  row.createdById === null ? null : { id: row.createdById, email: row.creatorEmail ?? "" };

/** Returns a page of the registered clients. */
export const listClients = (
  call: AuthenticatedCall,
  { organizationId }: Owner,
  query: z.output<typeof OAuthClientQuery>,
) => list(queries.oauthClients, call, { ...query, organizationId }, presentClient);

/** Returns a registered client. @throws notFound */
export async function getClient(db: Queryable, { organizationId }: Owner, id: string) {
  const [row] = await queries.findOauthClient.run({ id, organizationId }, db);
  if (row === undefined) throw notFound();
  return presentClient(row);
}

const presentClient = (row: Row): z.output<typeof OAuthClient> => ({
  id: row.id,
  name: row.name,
  redirectUris: row.redirectUris,
  confidential: row.isConfidential,
  enabled: row.isEnabled,
  organizationId: row.organizationId,
  grantCount: row.grantCount,
  previousSecretEndsAt: row.previousSecretEndsAt?.toISOString() ?? null,
  createdBy: presentCreator(row),
  createdAt: row.createdAt.toISOString(),
});
