import * as queries from "#sql/people/accounts";
import { withAsciiDomain } from "../../platform/email-domain.ts";
import type { Service } from "../context.ts";

/**
 * The minimum number of letters and digits in a search text. A trigram index cannot find fewer, so the search would
 * read every account.
 */
const INDEXED_CHARACTERS = 3;

/**
 * Returns the ids of the users whose email contains the text, so that an index finds their rows. Returns null if
 * there are more than the service's `maxUserIdsInFilter`, or if the text is too short. The caller's list then
 * filters its own rows, so that the cost depends on their number instead of the number of accounts. Includes
 * deleted accounts on request.
 */
export async function findUsersByEmail(
  { app: { maxUserIdsInFilter }, db }: Service,
  search: string,
  { withDeleted }: { withDeleted: boolean },
): Promise<string[] | null> {
  const characters = search.normalize("NFD").match(/[\p{L}\p{N}]/gu) ?? [];
  if (characters.length < INDEXED_CHARACTERS) return null;
  const params = { search: withAsciiDomain(search), withDeleted, max: maxUserIdsInFilter + 1 };
  const people = await queries.listUsersByEmail.run(params, db.lists);
  return people.length > maxUserIdsInFilter ? null : people.map(({ id }) => id);
}

/**
 * Like `findUsersByEmail`, among the users who are or were members of an organization, without deleted accounts. Reads
 * only rows of the organization, so short texts are searched as well.
 */
export async function findPeopleByEmail(
  { app: { maxUserIdsInFilter }, db }: Service,
  search: string,
  organizationId: string,
): Promise<string[] | null> {
  const params = { search: withAsciiDomain(search), organizationId, max: maxUserIdsInFilter + 1 };
  const people = await queries.listPeopleByEmail.run(params, db.lists);
  return people.length > maxUserIdsInFilter ? null : people.map(({ id }) => id);
}
