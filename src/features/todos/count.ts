import * as queries from "#sql/todos";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";

/** All members' todos: what the limit `todos` counts. */
export async function countTodos(db: Queryable, organizationId: string): Promise<number> {
  return exactlyOne(await queries.countTodosOfOrganization.run({ organizationId }, db)).count;
}
