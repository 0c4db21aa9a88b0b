import * as queries from "#sql/users";
import type { Queryable } from "../db/prepared-query.ts";

/** Beyond this many people a list looks at each of its rows instead of for the people. */
const MOST_PEOPLE = 1_000;

/** The people whose email has this in it, so that an index finds what is theirs; null where they are too many. */
export async function findUsersByEmail(db: Queryable, search: string): Promise<string[] | null> {
  const people = await queries.listUsersByEmail.run({ search, most: MOST_PEOPLE + 1 }, db);
  return people.length > MOST_PEOPLE ? null : people.map(({ id }) => id);
}
