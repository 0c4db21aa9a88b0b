import type { z } from "zod";
import {
  audit,
  authorize,
  conflict,
  exactlyOne,
  findUnits,
  list,
  notFound,
  type OrganizationCall,
  type Queryable,
  sizeLimitReached,
  type Tx,
  transaction,
  validationFailed,
} from "#kit";
import * as queries from "#sql/sso-connections";
import { roleEntry } from "../../core/accounts/memberships.ts";
import type { NamedAssignment } from "../members/assignments.ts";
import { assertGiven } from "../members/given.ts";
import { findAssignableRoles } from "../roles/read.ts";
import { withdrawRole } from "./groups.ts";
import type { Mapping, MappingBody, MappingQuery } from "./mapping-schemas.ts";

const MAX_MAPPINGS = 500;
const MAX_GAINS = 100;

type Row = Awaited<ReturnType<typeof queries.findMapping.run>>[number];

const present = (row: Row): z.output<typeof Mapping> => ({
  id: row.id,
  connectionId: row.connectionId,
  group: row.groupName,
  role: { id: row.roleId, name: row.roleName },
  unit: row.unitId === null ? null : { id: row.unitId, name: row.unitName ?? "" },
  createdAt: row.createdAt.toISOString(),
});

/** Returns a page of the organization's mappings. */
export const listMappings = (
  call: OrganizationCall,
  { connectionId, ...query }: z.output<typeof MappingQuery>,
) =>
  list(
    queries.mappings,
    call,
    { ...query, organizationId: call.organizationId, connectionIds: connectionId },
    present,
  );

type Wanted = z.output<typeof MappingBody>;

/** Returns the role that a mapping gives. @throws validationFailed for a connection, role or unit that does not exist */
async function resolve(
  db: Queryable,
  organizationId: string,
  { connectionId, roleId, unitId }: Wanted,
): Promise<NamedAssignment> {
  const { isLive } = exactlyOne(
    await queries.isLiveConnectionOf.run({ id: connectionId, organizationId }, db),
  );
  const role = (await findAssignableRoles(db, organizationId, [roleId])).get(roleId);
  const unit = unitId === null ? null : (await findUnits(db, organizationId, [unitId])).get(unitId);
  const missing = (path: string, what: string) => ({ path, message: `${path} must be an existing ${what}` });
  const problems = [
    ...(isLive ? [] : [missing("connectionId", "connection")]),
    ...(role === undefined ? [missing("roleId", "role")] : []),
    ...(unit === undefined ? [missing("unitId", "unit")] : []),
  ];
  if (role === undefined || unit === undefined || problems.length > 0) throw validationFailed(problems);
  return {
    roleId,
    unitId,
    roleName: role.name,
    permissions: role.permissions,
    unitName: unit?.name ?? null,
  };
}

/**
 * Maps a group of a connection to a role at a place. It gives the role at the next sign-in of each person.
 * @throws validationFailed, permissionNotHeld, conflict, sizeLimitReached
 */
export async function createMapping(tx: Tx<OrganizationCall>, body: Wanted) {
  const { organizationId, actor } = tx;
  const permissions = await authorize(tx, "SingleSignOn.Update");
  const role = await resolve(tx.db, organizationId, body);
  await assertGiven(tx, permissions, [role]);
  const { count } = exactlyOne(await queries.countMappingsOf.run({ organizationId }, tx.db));
  if (count >= MAX_MAPPINGS) throw sizeLimitReached("An organization has at most 500 mappings", MAX_MAPPINGS);
  const createdById = actor.type === "user" ? actor.userId : null;
  const [inserted] = await queries.insertMapping.run({ organizationId, createdById, ...body }, tx.db);
  if (inserted === undefined) throw conflict();
  const { connectionId, group } = body;
  await audit(tx, "SIGN_ON_MAPPING_CREATED", {
    organizationId,
    target: { type: "connection", id: connectionId },
    metadata: { connectionId, group, ...roleEntry(role) },
  });
  return present(exactlyOne(await queries.findMapping.run({ id: inserted.id, organizationId }, tx.db)));
}

/**
 * Deletes a mapping, and takes away at once what no other mapping of the connection gives a person by the groups last seen.
 * @throws notFound
 */
export async function deleteMapping(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId, actor } = tx;
    await authorize(tx, "SingleSignOn.Update", { worksInSuspended: true });
    const [mapping] = await queries.findMapping.run({ id, organizationId }, tx.db);
    if (mapping === undefined) throw notFound();
    await queries.deleteMapping.run({ id, organizationId }, tx.db);
    const { connectionId, groupName: group, roleId, unitId } = mapping;
    await withdrawRole(tx, { id: connectionId, organizationId }, { roleId, unitId }, actor.id);
    await audit(tx, "SIGN_ON_MAPPING_DELETED", {
      organizationId,
      target: { type: "connection", id: connectionId },
      metadata: { connectionId, group, ...roleEntry(mapping) },
    });
  });
}

/** Returns who would get a role by a mapping: whoever had the group at the last sign-in. @throws validationFailed */
export async function previewMapping({ db, organizationId }: OrganizationCall, body: Wanted) {
  const { roleId, unitId } = await resolve(db, organizationId, body);
  const { connectionId, group } = body;
  const rows = await queries.listGains.run({ connectionId, group, roleId, unitId, max: MAX_GAINS }, db);
  return {
    gains: rows.map(({ userId, email, holdsAlready }) => ({ userId, email, holdsAlready })),
    total: rows[0]?.total ?? 0,
  };
}
