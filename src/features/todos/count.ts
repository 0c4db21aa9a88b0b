import * as queries from "#sql/todos";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";

/** The todos of all members, which count against the limit `todos`. */
export async function countTodos(db: Queryable, organizationId: string): Promise<number> {
  return exactlyOne(await queries.countTodosOfOrganization.run({ organizationId }, db)).count;
}
