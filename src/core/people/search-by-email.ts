import * as queries from "#sql/people/accounts";
import type { App } from "../context.ts";

/** Fewer letters and digits than these are in no index, and looking for them would read every account. */
const INDEXED_CHARACTERS = 3;

/**
 * The people whose email has this in it, so that an index finds what is theirs; null where they are more than the
 * service's `mostPeople`, or the search is too short: what looking costs is then for the list's own rows to say, and
 * not for how many accounts there are. Deleted accounts are among them on demand.
 */
export async function findUsersByEmail(
  { db, mostPeople }: App,
  search: string,
  { withDeleted }: { withDeleted: boolean },
): Promise<string[] | null> {
  const characters = search.normalize("NFD").match(/[\p{L}\p{N}]/gu) ?? [];
  if (characters.length < INDEXED_CHARACTERS) return null;
  const asked = { search, withDeleted, max: mostPeople + 1 };
  const people = await queries.listUsersByEmail.run(asked, db.lists);
  return people.length > mostPeople ? null : people.map(({ id }) => id);
}
