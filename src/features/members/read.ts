import type { z } from "zod";
import * as members from "#sql/members";
import type { Reach } from "../../core/access/authority.ts";
import { pageFrom } from "../../core/api/paging.ts";
import type { OrganizationCall } from "../../core/context.ts";
import { countRows, isUnfiltered } from "../../core/row-counts.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { notFound } from "../../platform/errors.ts";
import { filteredUnits } from "../units/filter.ts";
import { presentMembers } from "./present.ts";
import type { MemberQuery } from "./schemas.ts";

/** The members in reach, narrowed by people and by units that are both in reach and asked for. */
export async function listMembers(
  { app, authority, organizationId }: OrganizationCall,
  { search, unit, member, sort, ...paging }: z.output<typeof MemberQuery>,
) {
  const { lists } = app.db;
  const reach = await authority.reach("Members.Read", lists);
  const units = await filteredUnits([organizationId], reach, unit, lists);
  const narrowed = { search, members: member, units };
  const filters = { organizationId, ...narrowed };
  return pageFrom(
    paging,
    {
      rows: async (window) => {
        const rows = await members.listMembers.run({ ...filters, sort, ...window }, lists);
        return presentMembers(rows, reach, lists);
      },
      total: () =>
        isUnfiltered(narrowed)
          ? countRows(app.db, "memberships", organizationId)
          : members.countMembers.run(filters, lists),
    },
    (member) => member,
  );
}

type Place = Pick<OrganizationCall, "organizationId">;

/** @throws notFound for somebody who is no member, or out of reach */
export async function getMember(call: OrganizationCall, userId: string) {
  const { db } = call.app;
  return showMember(call, await call.authority.reach("Members.Read", db), userId, db);
}

/** A member as somebody with this reach sees them. @throws notFound */
export async function showMember(place: Place, reach: Reach, userId: string, db: Queryable) {
  const [shown] = await presentMembers([await findMember(place, reach, userId, db)], reach, db);
  if (shown === undefined) throw notFound();
  return shown;
}

/** @throws notFound for somebody who is no member, or out of reach */
export async function findMember({ organizationId }: Place, { units }: Reach, userId: string, db: Queryable) {
  const [member] = await members.findMember.run({ organizationId, userId, units }, db);
  if (member === undefined) throw notFound();
  return member;
}
