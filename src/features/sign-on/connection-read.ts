import type { z } from "zod";
import type { RoleEntry } from "#kit";
import { list, notFound, type OrganizationCall, type Queryable, unpagedList } from "#kit";
import * as queries from "#sql/sso-connections";
import { presentAssignment } from "../members/present.ts";
import type { ClaimNames } from "./answer.ts";
import type { Connection, ConnectionQuery } from "./connection-schemas.ts";
import type { SsoGroupQuery, SsoIdentityQuery } from "./people-schemas.ts";
import { redirectUriOf } from "./provider.ts";

type Row = Awaited<ReturnType<typeof queries.findConnectionDetails.run>>[number];
type Shown = z.output<typeof Connection>;
type Assigned = [roleId: string, roleName: string, unitId: string | null, unitName: string | null][];

const timeOf = (time: Date | null) => time?.toISOString() ?? null;

/** A stored connection. The columns of a view are never null where those of its table are not. */
export type StoredConnection = ReturnType<typeof storedFrom>;

function storedFrom(row: Row) {
  return {
    id: row.id ?? "",
    name: row.name ?? "",
    status: row.status as Shown["status"],
    issuer: row.issuer ?? "",
    clientId: row.clientId ?? "",
    clientSecret: row.clientSecret,
    scopes: row.scopes ?? "",
    clientSecretExpiresAt: timeOf(row.clientSecretExpiresAt),
    claims: row.claims as ClaimNames,
    provisioning: row.provisioning as Shown["provisioning"],
    secondFactor: row.secondFactor as Shown["secondFactor"],
    version: row.version ?? 0,
    identityCount: row.identityCount ?? 0,
    defaultAssignments: ((row.assignments ?? []) as Assigned).map(
      ([roleId, roleName, unitId, unitName]): RoleEntry => ({ roleId, roleName, unitId, unitName }),
    ),
  };
}

/** A setup link does not see who created the connection. */
function presentConnection(
  { app: { config }, actor }: Pick<OrganizationCall, "app" | "actor">,
  row: Row,
): Shown {
  const stored = storedFrom(row);
  const { id, issuer, clientId, scopes, clientSecretExpiresAt } = stored;
  return {
    id,
    name: stored.name,
    protocol: "oidc",
    status: stored.status,
    oidc: { issuer, clientId, scopes, hasClientSecret: stored.clientSecret !== null, clientSecretExpiresAt },
    claims: stored.claims,
    provisioning: stored.provisioning,
    defaultAssignments: stored.defaultAssignments.map((one) => presentAssignment(one)),
    secondFactor: stored.secondFactor,
    redirectUri: redirectUriOf(config, id),
    startUrl: `${config.appUrl}/sso/${id}`,
    domains: ((row.domains ?? []) as [string, string][]).map(([domainId, domain]) => ({
      id: domainId,
      domain,
    })),
    identityCount: stored.identityCount,
    mappingCount: row.mappingCount ?? 0,
    testedAt: timeOf(row.testedAt),
    lastSignInAt: timeOf(row.lastSignInAt),
    lastError:
      row.lastErrorCode === null || row.lastErrorAt === null
        ? null
        : { code: row.lastErrorCode, at: row.lastErrorAt.toISOString(), detail: row.lastErrorDetail ?? "" },
    version: stored.version,
    createdBy:
      row.createdById === null || row.createdByEmail === null || actor.type === "setup_link"
        ? null
        : { id: row.createdById, email: row.createdByEmail },
    createdAt: timeOf(row.createdAt) ?? "",
  };
}

/** Returns the connections of the organization, all on one page, the oldest first. */
export async function listConnections(call: OrganizationCall, { page }: z.output<typeof ConnectionQuery>) {
  const all = await queries.listConnections.run({ organizationId: call.organizationId }, call.db.lists);
  const rows = all.filter((row) => isVisible(call, row));
  return unpagedList(
    page,
    rows.map((row) => presentConnection(call, row)),
  );
}

type Reader = Pick<OrganizationCall, "app" | "actor" | "organizationId"> & { db: Queryable };

/** A setup link sees drafts alone. */
const isVisible = ({ actor }: Pick<Reader, "actor">, { status }: Row) =>
  actor.type !== "setup_link" || status === "DRAFT";

async function findRow(reader: Reader, id: string): Promise<Row> {
  const { db, organizationId } = reader;
  const [row] = await queries.findConnectionDetails.run({ id, organizationId }, db);
  if (row === undefined || !isVisible(reader, row)) throw notFound();
  return row;
}

/** Returns a connection of the organization as it is stored. @throws notFound */
export const findStored = async (reader: Reader, id: string): Promise<StoredConnection> =>
  storedFrom(await findRow(reader, id));

/** Returns a connection of the organization. @throws notFound */
export const showConnection = async (reader: Reader, id: string): Promise<Shown> =>
  presentConnection(reader, await findRow(reader, id));

/** Returns a page of the people who are linked to a connection. @throws notFound */
export async function listIdentities(
  call: OrganizationCall,
  id: string,
  query: z.output<typeof SsoIdentityQuery>,
) {
  await findRow(call, id);
  return list(queries.identitiesOfConnection, call, { ...query, connectionId: id }, (row) => ({
    user: {
      id: row.userId ?? "",
      email: row.accountEmail,
      firstName: row.firstName,
      lastName: row.lastName,
    },
    subject: row.subject ?? "",
    email: row.email ?? "",
    groups: row.groups ?? [],
    linkedAt: timeOf(row.linkedAt) ?? "",
    lastSignInAt: timeOf(row.lastSignInAt) ?? "",
  }));
}

/** Returns a page of the groups that were seen at the last sign-ins by a connection. @throws notFound */
export async function listGroups(call: OrganizationCall, id: string, query: z.output<typeof SsoGroupQuery>) {
  await findRow(call, id);
  return list(queries.groupsOfConnection, call, { ...query, connectionId: id }, (row) => ({
    group: row.groupName ?? "",
    people: row.people ?? 0,
    mappings: row.mappings ?? 0,
  }));
}
