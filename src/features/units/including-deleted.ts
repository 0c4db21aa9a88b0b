import * as queries from "#sql/units";
import type { Queryable } from "../../platform/db/prepared-query.ts";

/** Returns these units and all that are or were below them, for the history in the audit log. */
export async function listUnitsIncludingDeleted(db: Queryable, roots: string[]): Promise<string[]> {
  return (await queries.listUnitsIncludingDeleted.run({ roots }, db)).map(({ unitId }) => unitId);
}
