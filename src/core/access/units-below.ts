import * as access from "#sql/access";
import type { Queryable } from "../../platform/db/prepared-query.ts";

/**
 * Returns those of the given units that are one of `roots` or below one of them. The query goes upwards from the
 * units.
 */
export async function unitsBelow(units: string[], roots: string[], db: Queryable): Promise<string[]> {
  if (units.length === 0) return [];
  const above = await access.listAncestors.run({ unitIds: units }, db);
  const parents = new Map(above.map(({ unitId, parentId }) => [unitId, parentId]));
  const isBelow = new Map<string, boolean>(roots.map((root) => [root, true]));
  return units.filter((unit) => {
    const path: string[] = [];
    let top: string | null = unit;
    for (; top !== null && !isBelow.has(top); top = parents.get(top) ?? null) path.push(top);
    const result = top !== null && isBelow.get(top) === true;
    for (const passed of path) isBelow.set(passed, result);
    return result;
  });
}
