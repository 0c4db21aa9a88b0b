import * as queries from "#sql/users";
import type { Queryable } from "../db/prepared-query.ts";

/** Beyond this many people a list looks at each of its rows instead of for the people. */
const MOST_PEOPLE = 1_000;

/** Fewer letters and digits than these are in no index, and looking for them would read every account. */
const INDEXED_CHARACTERS = 3;

/**
 * The people whose email has this in it, so that an index finds what is theirs; null where they are too many, or the
 * search is too short: what looking costs is then for the list's own rows to say, and not for how many accounts there are.
 */
export async function findUsersByEmail(db: Queryable, search: string): Promise<string[] | null> {
  const characters = search.normalize("NFD").match(/[\p{L}\p{N}]/gu) ?? [];
  if (characters.length < INDEXED_CHARACTERS) return null;
  const people = await queries.listUsersByEmail.run({ search, most: MOST_PEOPLE + 1 }, db);
  return people.length > MOST_PEOPLE ? null : people.map(({ id }) => id);
}
