import type { z } from "zod";
import type * as queries from "#sql/oauth-grants";
import { isReadOnly } from "../../../core/access/app-scopes.ts";
import type { Client, ConnectedApp, ConnectedAppOfMember } from "../schemas.ts";

/** A grant with the names that are shown of it. */
export type Row = queries.IListOwnConnectedAppsResult;
type RowOfMember = Row & Pick<queries.IListGrantsByIdResult, "userId" | "email" | "firstName" | "lastName">;

type ShownClient = z.output<typeof Client>;

const sourceOf = (row: Pick<Row, "oauthClientId" | "clientOrganizationId">): ShownClient["source"] => {
  if (row.oauthClientId === null) return "document";
  return row.clientOrganizationId === null ? "operator" : "organization";
};

export const presentClient = (
  row: Pick<Row, "clientId" | "clientName" | "clientHost" | "oauthClientId" | "clientOrganizationId">,
): ShownClient => ({
  id: row.clientId,
  name: row.clientName,
  host: row.clientHost,
  source: sourceOf(row),
});

export const presentUnit = ({ unitId, unitName }: Pick<Row, "unitId" | "unitName">) =>
  unitId === null || unitName === null ? null : { id: unitId, name: unitName };

/** Returns a grant as its person sees it. */
export const present = (row: Row): z.output<typeof ConnectedApp> => ({
  id: row.id,
  client: presentClient(row),
  resource: row.resource as "mcp" | "api",
  organization: { id: row.organizationId, name: row.organizationName },
  unit: presentUnit(row),
  scopes: row.scopes,
  readOnly: isReadOnly(row.scopes),
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  lastUsedIp: row.lastUsedIp,
  expiresAt: row.endsAt.toISOString(),
});

/** Returns a grant as administrators see it. */
export const presentOfMember = (row: RowOfMember): z.output<typeof ConnectedAppOfMember> => ({
  ...present(row),
  member: { userId: row.userId, email: row.email, firstName: row.firstName, lastName: row.lastName },
});
