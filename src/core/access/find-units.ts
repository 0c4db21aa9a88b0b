import * as queries from "#sql/access";
import type { Queryable } from "../../platform/db/prepared-query.ts";

/** Returns, by id, those of the given units that belong to the organization. */
export async function findUnits(db: Queryable, organizationId: string, ids: string[]) {
  const found = ids.length === 0 ? [] : await queries.listUnitsByIds.run({ organizationId, ids }, db);
  return new Map(found.map((unit) => [unit.id, unit]));
}
