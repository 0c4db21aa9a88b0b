import type { z } from "zod";
import * as members from "#sql/members";
import type { Reach } from "../access/authority.ts";
import { permissionNames } from "../access/catalog.ts";
import type { OrganizationCall } from "../context.ts";
import type { Queryable } from "../db/prepared-query.ts";
import { notFound } from "../http/errors.ts";
import { pageFrom } from "../http/paging.ts";
import { listGivableRoles } from "../roles/read.ts";
import { filteredUnits } from "../units/filter.ts";
import { listUnits } from "../units/read.ts";
import { presentMembers } from "./present.ts";
import type { MemberQuery, RoleOption, UnitOption } from "./schemas.ts";

/** The members in reach, narrowed by people and by units that are both in reach and asked for. */
export async function listMembers(
  { app, authority, organizationId }: OrganizationCall,
  { search, unit, member, sort, ...paging }: z.output<typeof MemberQuery>,
) {
  const { lists } = app.db;
  const reach = await authority.reach("Members.Read", lists);
  const units = await filteredUnits([organizationId], reach, unit, lists);
  const filters = { organizationId, search, members: member, units };
  return pageFrom(
    paging,
    {
      rows: async (window) => {
        const rows = await members.listMembers.run({ ...filters, sort, ...window }, lists);
        return presentMembers(rows, reach, lists);
      },
      total: () => members.countMembers.run(filters, lists),
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

/** The roles that the caller may give to somebody somewhere, by invitation or to a member. */
export async function listRoleOptions(call: OrganizationCall): Promise<z.output<typeof RoleOption>[]> {
  const { app, authority } = call;
  const places = [null, ...authority.rootUnits()];
  const holds = await authority.over(places, app.db);
  const giving = ["Members.UpdateRoles", "Invitations.Create"];
  const givers = places.filter((place) => giving.some((permission) => holds([permission], place)));
  // Places where the same is held give the same roles: in a large tree there are many of them, and of kinds few.
  const held = (place: string | null) => permissionNames.filter((name) => holds([name], place)).join();
  const open = [...new Map(givers.map((place) => [held(place), place])).values()];
  const roles = await listGivableRoles(call);
  return roles
    .filter(({ permissions }) => open.some((place) => holds(permissions, place)))
    .map(({ id, name, description, organizationId }) => ({
      id,
      name,
      description,
      builtIn: organizationId === null,
    }));
}

/** The units in reach, depth-first. */
export async function listUnitOptions(call: OrganizationCall): Promise<z.output<typeof UnitOption>[]> {
  const reach = await call.authority.reach("Members.Read", call.app.db.lists);
  const units = await listUnits(call.app.db.lists, call, reach);
  return units.map(({ id, name, parentId, depth }) => ({ id, name, parentId, depth }));
}
