import type { Tx } from "../context.ts";
import { feedEntry } from "../effects/feed-entry.ts";
import { findLiveUser } from "./find-live-user.ts";
import { presentUser } from "./present.ts";

/** Tells the feed of the product that the name, email or language of an account changed. Call under the user's lock. */
export const userUpdated = (tx: Tx, id: string, previous: object): Promise<void> =>
  feedEntry(tx, "user.updated", { organizationId: null, id, previous, object: () => userForFeed(tx, id) });

async function userForFeed(tx: Tx, id: string) {
  const found = await findLiveUser(tx.db, id);
  if (found === null) return { id };
  const { email, firstName, lastName, language } = presentUser(found);
  return { id, email, firstName, lastName, language };
}
