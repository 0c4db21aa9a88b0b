import type { z } from "zod";
import {
  exactlyOne,
  notFound,
  type OrganizationCall,
  type Queryable,
  type Reach,
  reach,
  unpagedList,
} from "#kit";
import * as queries from "#sql/units";
import type { Unit, UnitQuery } from "./schemas.ts";

/**
 * Returns the units in the caller's reach, depth-first, with siblings sorted by name, filtered by `X-Filter-Unit` and
 * a search.
 */
export async function listUnitsInReach(
  call: OrganizationCall,
  { page, search, order }: z.output<typeof UnitQuery>,
) {
  const units = await reach(call, "Units.Read");
  return unpagedList(page, await listUnits(call.db.lists, call, { units }, { search, order }));
}

/**
 * Returns all units in the caller's reach, or those that match a search: depth-first, each with its depth in the
 * tree.
 */
export async function listUnits(
  db: Queryable,
  { organizationId }: Pick<OrganizationCall, "organizationId">,
  { units }: Reach,
  { search = null, order = "asc" }: { search?: string | null; order?: "asc" | "desc" } = {},
): Promise<z.output<typeof Unit>[]> {
  const tree = await queries.listTree.run({ organizationId, units, search }, db);
  // pop() takes the last unit, so siblings are pushed in reverse order.
  const below = Map.groupBy(order === "asc" ? tree.toReversed() : tree, ({ parentId }) => parentId);
  const shown: z.output<typeof Unit>[] = [];
  // An explicit stack instead of recursion, because a tree may be deeper than the runtime's call stack.
  const waiting = (below.get(null) ?? []).map((row) => ({ row, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { row, depth } = next;
    if (row.isKept) shown.push(present({ ...row, depth, memberCount: row.memberCount ?? 0 }));
    for (const child of below.get(row.id) ?? []) waiting.push({ row: child, depth: depth + 1 });
  }
  return shown;
}

/** Returns one unit of the organization, regardless of the caller's reach. @throws notFound */
export async function showUnit(db: Queryable, organizationId: string, id: string) {
  const [unit] = await queries.findShownUnit.run({ organizationId, id }, db);
  if (unit === undefined) throw notFound();
  return present(unit);
}

type Row = Awaited<ReturnType<typeof queries.findShownUnit.run>>[number];

/** Converts a unit to the API's form. */
export const present = (row: Row): z.output<typeof Unit> => ({
  id: row.id,
  name: row.name,
  parentId: row.parentId,
  depth: row.depth,
  memberCount: row.memberCount,
  createdAt: row.createdAt.toISOString(),
});

/** Counts the units of the organization that are not deleted. */
export async function countUnits(db: Queryable, organizationId: string): Promise<number> {
  return exactlyOne(await queries.countUnits.run({ organizationId }, db)).count;
}
