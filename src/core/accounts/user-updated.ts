import type { Tx } from "../context.ts";
import { feedEntry } from "../effects/feed-entry.ts";
import { findLiveUser } from "./find-live-user.ts";
import { presentUser, type StoredUser } from "./present.ts";

/**
 * Tells the feed of the product that the name, email or language of an account changed. Call under the user's lock.
 * @param user the account after the change, if it was read; otherwise it is read only if there is a product
 */
export const userUpdated = (tx: Tx, id: string, previous: object, user?: StoredUser): Promise<void> =>
  feedEntry(tx, "user.updated", {
    organizationId: null,
    id,
    previous,
    object: async () => userForFeed(id, user ?? (await findLiveUser(tx.db, id))),
  });

function userForFeed(id: string, user: StoredUser | null) {
  if (user === null) return { id };
  const { email, firstName, lastName, language } = presentUser(user);
  return { id, email, firstName, lastName, language };
}
