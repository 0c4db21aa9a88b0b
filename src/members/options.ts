import type { z } from "zod";
import type { OrganizationCall } from "../context.ts";
import { listGivableRoles } from "../roles/read.ts";
import { filteredUnits } from "../units/filter.ts";
import { listUnits } from "../units/read.ts";
import type { RoleOption, UnitOption } from "./schemas.ts";

/** Either of them lets somebody give roles: to a member, or by invitation. */
const GIVING = ["Members.UpdateRoles", "Invitations.Create"];

/** The roles that the caller may give to somebody somewhere. */
export async function listRoleOptions(call: OrganizationCall): Promise<z.output<typeof RoleOption>[]> {
  const { roles, places, mayGive } = await giving(call);
  return roles
    .filter((role) => places.some((place) => mayGive(role, place)))
    .map(({ id, name, description, organizationId }) => ({
      id,
      name,
      description,
      builtIn: organizationId === null,
    }));
}

/** The units in which the caller may give some role to somebody, depth-first. */
export async function listUnitOptions(call: OrganizationCall): Promise<z.output<typeof UnitOption>[]> {
  const { lists } = call.app.db;
  const { roles, places, mayGive } = await giving(call);
  const open = places.filter((place) => roles.some((role) => mayGive(role, place)));
  // What is held at a place is held below it too: nothing more has to be asked of the units there.
  const units = open.includes(null)
    ? null
    : await filteredUnits([call.organizationId], { units: null }, open as string[], lists);
  const shown = await listUnits(lists, call, { units });
  return shown.map(({ id, name, parentId, depth }) => ({ id, name, parentId, depth }));
}

/** The roles there are, the places where something of the caller's begins, and whether they may give a role in one. */
async function giving(call: OrganizationCall) {
  const { app, authority } = call;
  const roles = await listGivableRoles(call);
  const all = [null, ...authority.rootUnits()];
  const holds = await authority.over(all, app.db);
  const places = all.filter((place) => GIVING.some((permission) => holds([permission], place)));
  const mayGive = ({ permissions }: (typeof roles)[number], place: string | null) =>
    holds(permissions, place);
  return { roles, places, mayGive };
}
