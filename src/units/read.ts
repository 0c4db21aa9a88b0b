import type { z } from "zod";
import * as queries from "#sql/units";
import type { Reach } from "../access/authority.ts";
import type { OrganizationCall } from "../context.ts";
import { only, type Queryable } from "../db/prepared-query.ts";
import { notFound } from "../http/errors.ts";
import { wholePage } from "../http/paging.ts";
import { filteredUnits } from "./filter.ts";
import type { Unit, UnitQuery } from "./schemas.ts";

/** The units in reach, depth-first by name, narrowed by `X-Filter-Unit` and a search. */
export async function listUnitsInReach(
  call: OrganizationCall,
  { page, search }: z.output<typeof UnitQuery>,
  filter: string[] | null,
) {
  const { db } = call.app;
  const reach = await call.authority.reach("Units.Read", db);
  const units = await filteredUnits([call.organizationId], reach, filter, db);
  return wholePage(page, await listUnits(db.lists, call, { units }, { search }));
}

/** Units that are in reach, each with its place in the tree; all of them, one, or those that a search finds. */
export async function listUnits(
  db: Queryable,
  { organizationId }: Pick<OrganizationCall, "organizationId">,
  { units }: Pick<Reach, "units">,
  { search = null, id = null }: { search?: string | null; id?: string | null } = {},
): Promise<z.output<typeof Unit>[]> {
  const rows = await queries.listUnits.run({ organizationId, units, search, id }, db);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    parentId: row.parentId,
    depth: row.depth,
    memberCount: row.memberCount,
    createdAt: row.createdAt.toISOString(),
  }));
}

/** One unit of the organization, whoever asks. @throws notFound */
export async function showUnit(db: Queryable, organizationId: string, id: string) {
  const [unit] = await listUnits(db, { organizationId }, { units: null }, { id });
  if (unit === undefined) throw notFound();
  return unit;
}

export async function countUnits(db: Queryable, organizationId: string): Promise<number> {
  return only(await queries.countUnits.run({ organizationId }, db)).count;
}

/** Those of these units that the organization has, by id. */
export async function findUnits(db: Queryable, organizationId: string, ids: string[]) {
  const found = ids.length === 0 ? [] : await queries.listUnitsByIds.run({ organizationId, ids }, db);
  return new Map(found.map((unit) => [unit.id, unit]));
}
