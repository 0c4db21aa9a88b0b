import * as queries from "#sql/people/accounts";
import type { App } from "../context.ts";

/** A trigram index cannot find fewer letters and digits: the search would read every account. */
const INDEXED_CHARACTERS = 3;

/**
 * The users whose email contains the text, so that an index finds their rows. Null when they are more than the service's
 * `maxUserIdsInFilter`, or the text is too short: the list then filters its own rows, whose number bounds the cost instead of the
 * number of accounts. Includes deleted accounts on request.
 */
export async function findUsersByEmail(
  { db, maxUserIdsInFilter }: App,
  search: string,
  { withDeleted }: { withDeleted: boolean },
): Promise<string[] | null> {
  const characters = search.normalize("NFD").match(/[\p{L}\p{N}]/gu) ?? [];
  if (characters.length < INDEXED_CHARACTERS) return null;
  const params = { search, withDeleted, max: maxUserIdsInFilter + 1 };
  const people = await queries.listUsersByEmail.run(params, db.lists);
  return people.length > maxUserIdsInFilter ? null : people.map(({ id }) => id);
}
