import type { z } from "zod";
import * as members from "#sql/members";
import { listMembersFirstPages } from "#sql/members.pages";
import { type Reach, unrestricted } from "../../core/access/reach.ts";
import { pageFrom } from "../../core/api/paging.ts";
import type { OrganizationCall } from "../../core/context.ts";
import { countRows, isUnfiltered } from "../../core/row-counts.ts";
import { ListQuery } from "../../platform/db/list-query.ts";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { notFound } from "../../platform/errors.ts";
import { filteredUnits } from "../units/filter.ts";
import { presentMember } from "./present.ts";
import type { MemberQuery } from "./schemas.ts";

const listQuery = new ListQuery(members.listMembers, listMembersFirstPages);

/** Returns the members in reach, restricted to the requested people and units. */
export async function listMembers(
  { permissions, db, organizationId }: OrganizationCall,
  { search, unit, member, sort, ...paging }: z.output<typeof MemberQuery>,
) {
  const reach = await permissions.reach("Members.Read", db.lists);
  const units = await filteredUnits([organizationId], reach, unit, db.lists);
  const filters = { search, members: member, units };
  const scopedFilters = { organizationId, ...filters };
  const totalQuery = isUnfiltered(filters) ? countRows("memberships", organizationId) : null;
  return pageFrom(
    paging,
    {
      ...listQuery.pages({ ...scopedFilters, visible: reach.units, sort }, db),
      total: () => totalQuery?.run(db.pages) ?? members.countMembers.run(scopedFilters, db.lists),
    },
    presentMember,
  );
}

type Membership = Pick<OrganizationCall, "organizationId">;

/** Returns a member in reach. @throws notFound if the user is not a member or out of reach */
export async function getMember(call: OrganizationCall, userId: string) {
  const { db } = call;
  const { organizationId } = call;
  const unitsOfMember = async () =>
    (await members.listUnitsOfMember.run({ organizationId, userId }, db)).map(({ unitId }) => unitId);
  const reach = await call.permissions.reachAmong("Members.Read", unitsOfMember, db);
  return showMember(call, reach, userId, db);
}

/** Returns a member with the roles and units that this reach makes visible. @throws notFound */
export const showMember = async (membership: Membership, reach: Reach, userId: string, db: Queryable) =>
  presentMember(await findMember(membership, reach, userId, db));

/** Finds a member. @throws notFound if the user is not a member or out of reach */
export async function findMember(
  { organizationId }: Membership,
  { units }: Reach,
  userId: string,
  db: Queryable,
) {
  const [member] = await members.findMember.run({ organizationId, userId, units, visible: units }, db);
  if (member === undefined) throw notFound();
  return member;
}

/** Returns a member whom the caller has just changed, even if the change removed the member's last unit in reach. */
export async function showChangedMember(
  { organizationId }: Membership,
  { units: visible }: Reach,
  userId: string,
  db: Queryable,
) {
  const units = unrestricted("the caller has just changed this member, who was in reach");
  return presentMember(
    exactlyOne(await members.findMember.run({ organizationId, userId, units, visible }, db)),
  );
}
