import * as queries from "#sql/users";
import type { App } from "../context.ts";

/**
 * The people whose email has this in it, so that an index finds what is theirs; null where they are more than the
 * service's `mostPeople`. Deleted accounts are among them on demand.
 */
export async function findUsersByEmail(
  { db, mostPeople }: App,
  search: string,
  { withDeleted }: { withDeleted: boolean },
): Promise<string[] | null> {
  const asked = { search, withDeleted, most: mostPeople + 1 };
  const people = await queries.listUsersByEmail.run(asked, db.lists);
  return people.length > mostPeople ? null : people.map(({ id }) => id);
}
