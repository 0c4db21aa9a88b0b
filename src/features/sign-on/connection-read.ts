import type { z } from "zod";
import { list, notFound, type OrganizationCall, type Queryable, unpagedList } from "#kit";
import * as queries from "#sql/sso-connections";
import { type AssignmentRows, assignmentsFrom, presentAssignment } from "../members/present.ts";
import type { ClaimNames } from "./answer.ts";
import type { Connection, ConnectionQuery } from "./connection-schemas.ts";
import type { SsoGroupQuery, SsoIdentityQuery } from "./people-schemas.ts";
import { redirectUriOf, startUrlOf } from "./provider.ts";

type Row = Awaited<ReturnType<typeof queries.listConnections.run>>[number];
type Shown = z.output<typeof Connection>;

const timeOf = (time: Date | null) => time?.toISOString() ?? null;

/** A stored connection. */
export type StoredConnection = ReturnType<typeof storedFrom>;

const storedFrom = (row: Row) => ({
  ...row,
  status: row.status as Shown["status"],
  clientSecretExpiresAt: timeOf(row.clientSecretExpiresAt),
  claims: row.claims as ClaimNames,
  provisioning: row.provisioning as Shown["provisioning"],
  secondFactor: row.secondFactor as Shown["secondFactor"],
  defaultAssignments: assignmentsFrom(row.assignments as AssignmentRows),
});

/** A setup link does not see who created the connection. */
function presentConnection(
  { app: { config }, actor }: Pick<OrganizationCall, "app" | "actor">,
  row: Row,
): Shown {
  const stored = storedFrom(row);
  const { id, name, status, claims, provisioning, secondFactor, version } = stored;
  const { issuer, clientId, clientSecret, scopes, clientSecretExpiresAt } = stored;
  const { createdById, createdByEmail, lastErrorCode, lastErrorAt, lastErrorDetail } = row;
  return {
    id,
    name,
    protocol: "oidc",
    status,
    oidc: { issuer, clientId, scopes, hasClientSecret: clientSecret !== null, clientSecretExpiresAt },
    claims,
    provisioning,
    defaultAssignments: stored.defaultAssignments.map((one) => presentAssignment(one)),
    secondFactor,
    redirectUri: redirectUriOf(config, id),
    startUrl: startUrlOf(config, id),
    domains: ((row.domains ?? []) as [string, string][]).map(([id, domain]) => ({ id, domain })),
    identityCount: row.identityCount,
    mappingCount: row.mappingCount,
    testedAt: timeOf(row.testedAt),
    lastSignInAt: timeOf(row.lastSignInAt),
    lastError:
      lastErrorCode === null || lastErrorAt === null
        ? null
        : { code: lastErrorCode, at: lastErrorAt.toISOString(), detail: lastErrorDetail ?? "" },
    version,
    createdBy:
      createdById === null || createdByEmail === null || actor.type === "setup_link"
        ? null
        : { id: createdById, email: createdByEmail },
    createdAt: row.createdAt.toISOString(),
  };
}

type Reader = Pick<OrganizationCall, "app" | "actor" | "organizationId"> & { db: Queryable };

/** Returns the connections of the organization, or the one with this id. A setup link sees drafts alone. */
async function findRows({ actor, organizationId }: Reader, db: Queryable, id: string | null = null) {
  const rows = await queries.listConnections.run({ organizationId, id }, db);
  return actor.type === "setup_link" ? rows.filter(({ status }) => status === "DRAFT") : rows;
}

/** Returns the connections of the organization, all on one page, the oldest first. */
export async function listConnections(call: OrganizationCall, { page }: z.output<typeof ConnectionQuery>) {
  const rows = await findRows(call, call.db.lists);
  return unpagedList(
    page,
    rows.map((row) => presentConnection(call, row)),
  );
}

async function findRow(reader: Reader, id: string): Promise<Row> {
  const [row] = await findRows(reader, reader.db, id);
  if (row === undefined) throw notFound();
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
      id: row.userId,
      email: row.accountEmail,
      firstName: row.firstName,
      lastName: row.lastName,
    },
    subject: row.subject,
    email: row.email,
    groups: row.groups,
    linkedAt: row.linkedAt.toISOString(),
    lastSignInAt: row.lastSignInAt.toISOString(),
  }));
}

/** Returns a page of the groups that were seen at the last sign-ins by a connection. @throws notFound */
export async function listGroups(call: OrganizationCall, id: string, query: z.output<typeof SsoGroupQuery>) {
  await findRow(call, id);
  const of = { ...query, connectionId: id };
  return list(queries.groupsOfConnection, call, of, ({ groupName, people, mappings }) => ({
    group: groupName,
    people,
    mappings,
  }));
}

/** Returns a line for each connection that was changed at a time or later, for the operator after a restore. */
export async function describeConnectionsSince(db: Queryable, time: Date): Promise<string[]> {
  const connections = await queries.listConnectionsChangedSince.run({ time }, db);
  return connections.map(
    ({ organization, name, status, issuer }) =>
      `Connection changed since: ${name} of ${organization} (${status}, ${issuer})`,
  );
}
