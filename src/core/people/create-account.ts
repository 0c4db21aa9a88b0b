import * as accounts from "#sql/people/accounts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { Tx } from "../context.ts";

type NewUser = Parameters<typeof accounts.insertVerifiedUser.run>[0];

/** Creates an account whose email is known to be its owner's. Null when the email is held, by a deleted one included. */
export async function createVerifiedUser(tx: Tx, user: NewUser): Promise<string | null> {
  const [created] = await accounts.insertVerifiedUser.run(user, tx.db);
  return created?.id ?? null;
}

/** Who holds an email, deleted or not; null where nobody does. */
export async function findEmailHolder(
  db: Queryable,
  email: string,
): Promise<{ id: string; isDeleted: boolean } | null> {
  const [holder] = await accounts.findEmailHolder.run({ email }, db);
  return holder ?? null;
}
