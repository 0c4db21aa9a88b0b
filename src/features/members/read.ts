import type { z } from "zod";
import {
  exactlyOne,
  filteredUnits,
  forbidden,
  list,
  NO_UNITS,
  notFound,
  type OrganizationCall,
  type Queryable,
  type Reach,
  type ReachUnits,
  unrestricted,
} from "#kit";
import * as members from "#sql/members";
import type { TokenPermissions } from "../../core/access/effective-permissions.ts";
import { presentMember } from "./present.ts";
import type { MemberQuery } from "./schemas.ts";

/**
 * Lists the members in the caller's reach that match the filters.
 * @throws forbidden for the filter `twoFactor` without the permission to see second factors in the whole
 * organization
 */
export async function listMembers(call: OrganizationCall, query: z.output<typeof MemberQuery>) {
  const { permissions, db, organizationId } = call;
  const { unit, twoFactor } = query;
  const reach = await permissions.reach("Members.Read", db.lists);
  if (twoFactor !== null && !permissions.holdsEverywhere([MANAGES])) throw forbidden();
  const units = await filteredUnits([organizationId], reach, unit, db.lists);
  const hasTwoFactor = twoFactor === null ? null : twoFactor === "on";
  const shown = { visible: reach.units, manageableUnits: await reachOfManaged(permissions, db.lists) };
  return list(
    members.members,
    call,
    { ...query, organizationId, units, hasTwoFactor, ...shown },
    presentMember,
  );
}

/** The permission to remove members also allows seeing their second factor and last activity. */
const MANAGES = "Members.Delete";

const reachOfManaged = async (permissions: TokenPermissions, db: Queryable): Promise<ReachUnits> =>
  permissions.holdsAnywhere(MANAGES) ? (await permissions.reach(MANAGES, db)).units : NO_UNITS;

type Membership = Pick<OrganizationCall, "organizationId" | "permissions">;

/** Returns a member in the caller's reach. @throws notFound if the user is not a member or not in the reach */
export async function getMember(call: OrganizationCall, userId: string) {
  const { db } = call;
  const reach = await call.permissions.reachAmong("Members.Read", unitsOf(call, userId, db), db);
  return showMember(call, reach, userId, db);
}

const unitsOf =
  ({ organizationId }: Membership, userId: string, db: Queryable) =>
  async () =>
    (await members.listUnitsOfMember.run({ organizationId, userId }, db)).map(({ unitId }) => unitId);

/**
 * Returns the units, among those of one member, in which the caller may see the member's second factor and last
 * activity.
 */
const managedAmong = async (membership: Membership, userId: string, db: Queryable): Promise<ReachUnits> =>
  membership.permissions.holdsAnywhere(MANAGES)
    ? (await membership.permissions.reachAmong(MANAGES, unitsOf(membership, userId, db), db)).units
    : NO_UNITS;

/** Returns a member with the roles and units that are visible in this reach. @throws notFound */
export const showMember = async (membership: Membership, reach: Reach, userId: string, db: Queryable) =>
  presentMember(await findMember(membership, reach, userId, db));

/** Returns a member with all roles and units, as events contain it. Leaves out second factor and last activity. */
export async function memberForEvent(
  { organizationId, db }: { organizationId: string; db: Queryable },
  userId: string,
) {
  const units = unrestricted("events hold whole records");
  const wanted = { organizationId, userId, units, visible: units, manageableUnits: NO_UNITS };
  return presentMember(exactlyOne(await members.findMember.run(wanted, db)));
}

/** Finds the row of a member in the given reach. @throws notFound if the user is not a member or not in the reach */
export async function findMember(membership: Membership, { units }: Reach, userId: string, db: Queryable) {
  const { organizationId } = membership;
  const manageableUnits = await managedAmong(membership, userId, db);
  const [member] = await members.findMember.run(
    { organizationId, userId, units, visible: units, manageableUnits },
    db,
  );
  if (member === undefined) throw notFound();
  return member;
}

/**
 * Returns a member whom the caller has just changed, even if the member has left the caller's reach by the change.
 */
export async function showChangedMember(
  membership: Membership,
  { units: visible }: Reach,
  userId: string,
  db: Queryable,
) {
  const { organizationId } = membership;
  const units = unrestricted("the caller has just changed this member, who was in reach");
  const manageableUnits = await managedAmong(membership, userId, db);
  return presentMember(
    exactlyOne(await members.findMember.run({ organizationId, userId, units, visible, manageableUnits }, db)),
  );
}
