import { audit, exactlyOne, notify, type Queryable, type RoleEntry, type Tx, unrestricted } from "#kit";
import * as memberships from "#sql/people/memberships";
import * as queries from "#sql/sso-groups";
import {
  type Assignment,
  addRoles,
  findMembership,
  isSameAssignment,
  roleEntry,
} from "../../core/accounts/memberships.ts";
import { memberBefore, memberChanged } from "../members/events.ts";
import { findDefaultAssignment } from "../roles/read.ts";

/** Why the groups of a person changed nothing. */
export type GroupsProblem = "GROUPS_MISSING" | "GROUPS_TOO_MANY" | "ASSIGNMENTS_TOO_MANY";

export type ConnectionKey = { id: string; organizationId: string };

export const MAX_GROUPS = 1_000;
const MAX_ASSIGNMENTS = 50;

/**
 * Returns what the groups of a person give by the mappings of a connection; null if they change nothing.
 * @param groups null if the provider said none
 */
export async function listGivenByGroups(
  db: Queryable,
  { id: connectionId }: ConnectionKey,
  groups: readonly string[] | null,
): Promise<{ given: RoleEntry[] | null; problem: GroupsProblem | null }> {
  if (groups === null) {
    const { hasMappings } = exactlyOne(await queries.hasMappings.run({ connectionId }, db));
    return { given: null, problem: hasMappings ? "GROUPS_MISSING" : null };
  }
  if (groups.length > MAX_GROUPS) return { given: null, problem: "GROUPS_TOO_MANY" };
  const given = await queries.listGivenByGroups.run({ connectionId, groups: [...groups] }, db);
  return given.length > MAX_ASSIGNMENTS
    ? { given: null, problem: "ASSIGNMENTS_TOO_MANY" }
    : { given, problem: null };
}

/** Returns what a connection gives a member who has no other role: its default assignments, or the organization's default role. */
export async function listDefaults(
  db: Queryable,
  { id, organizationId }: ConnectionKey,
): Promise<RoleEntry[]> {
  const defaults = await queries.listDefaultAssignments.run({ connectionId: id }, db);
  if (defaults.length > 0) return defaults;
  return findDefaultAssignment(db, organizationId);
}

/**
 * Sets the roles that a connection gives a member to exactly those of its mappings to the member's groups. Roles by
 * hand are not changed; without any other role the member gets the defaults of the connection. Call under the
 * organization's lock, with a live member.
 */
export async function setRolesByGroups(
  tx: Tx,
  connection: ConnectionKey,
  userId: string,
  groups: readonly string[] | null,
): Promise<GroupsProblem | null> {
  const { given, problem } = await listGivenByGroups(tx.db, connection, groups);
  if (given === null) return problem;
  const member = await findMembership(tx.db, { organizationId: connection.organizationId, userId });
  if (member === null) throw new Error("Groups of somebody who is no member");
  const all = await listRoles(tx, [member.id]);
  const defaults = () => listDefaults(tx.db, connection);
  await replaceRoles(tx, connection, { id: member.id, userId, all }, { given, defaults, actorId: userId });
  return null;
}

/**
 * Takes away what a deleted mapping gave, from every member to whom no other mapping of the connection gives it by the
 * groups of the last sign-in. Call under the organization's lock, after the mapping was deleted.
 */
export async function withdrawRole(
  tx: Tx,
  connection: ConnectionKey,
  role: { roleId: string; unitId: string | null },
  actorId: string | null,
): Promise<void> {
  const holders = await queries.listMembersWithRole.run({ connectionId: connection.id, ...role }, tx.db);
  if (holders.length === 0) return;
  // Read once for all: a group may have thousands of people, and the organization is locked.
  const ids = holders.map(({ id }) => id);
  const rolesOf = Map.groupBy(await listRoles(tx, ids), ({ membershipId }) => membershipId);
  const defaults = await listDefaults(tx.db, connection);
  for (const member of holders) {
    const all = rolesOf.get(member.id) ?? [];
    const given = all.filter(isBy(connection)).filter((one) => !isSameAssignment(one, role));
    await replaceRoles(
      tx,
      connection,
      { ...member, all },
      { given, defaults: async () => defaults, actorId },
    );
  }
}

const isBy =
  ({ id }: ConnectionKey) =>
  ({ connectionId }: Assignment) =>
    connectionId === id;

type Roles = Awaited<ReturnType<typeof listRoles>>;

const listRoles = (tx: Tx, membershipIds: string[]) =>
  memberships.listAssignments.run(
    { memberships: membershipIds, units: unrestricted("a connection gives roles everywhere") },
    tx.db,
  );

/** The roles that a connection gives a member from now on, those of a member without any other, and who changes them. */
type Change = { given: RoleEntry[]; defaults: () => Promise<RoleEntry[]>; actorId: string | null };

/** Makes the roles that a connection gives a member those of the change. `all` are the member's roles until now. */
async function replaceRoles(
  tx: Tx,
  connection: ConnectionKey,
  member: { id: string; userId: string; all: Roles },
  { given, defaults, actorId }: Change,
): Promise<void> {
  const { organizationId } = connection;
  const { all } = member;
  const current = all.filter(isBy(connection));
  const hasNone = given.length === 0 && all.length === current.length;
  const wanted = hasNone ? await defaults() : given;
  const added = wanted.filter((one) => !current.some((other) => isSameAssignment(one, other)));
  const removed = current.filter((one) => !wanted.some((other) => isSameAssignment(one, other)));
  if (added.length === 0 && removed.length === 0) return;

  const { userId } = member;
  const place = { ...tx, organizationId };
  const before = await memberBefore(place, userId);
  await memberships.deleteAssignments.run({ ids: removed.map(({ id }) => id), organizationId }, tx.db);
  await addRoles(tx, member.id, added, connection.id);
  const changes = { added: added.map(roleEntry), removed: removed.map(roleEntry) };
  await audit(tx, "MEMBER_ROLES_CHANGED", {
    actorId,
    organizationId,
    target: { type: "user", id: userId },
    metadata: { ...changes, via: "sso", connectionId: connection.id },
  });
  await notify(tx, userId, "ROLES_CHANGED", { ...changes, organizationId });
  await memberChanged(place, userId, before, { actorId });
}
