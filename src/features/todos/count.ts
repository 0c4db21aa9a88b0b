import { exactlyOne, type Queryable } from "#kit";
import * as queries from "#sql/todos";

/** Counts the todos of all members, for the plan limit `todos`. */
export async function countTodos(db: Queryable, organizationId: string): Promise<number> {
  return exactlyOne(await queries.countTodosOfOrganization.run({ organizationId }, db)).count;
}
