import * as accounts from "#sql/people/accounts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { Tx } from "../context.ts";
import { type Admission, countBirth } from "./registration.ts";

type NewUser = Parameters<typeof accounts.insertVerifiedUser.run>[0];

/** Creates an account with a verified email. Returns null if an account already has the email, even a deleted one. */
export async function createVerifiedUser(
  tx: Tx,
  admission: Admission,
  user: NewUser,
): Promise<string | null> {
  const [created] = await accounts.insertVerifiedUser.run(user, tx.db);
  if (created === undefined) return null;
  countBirth(tx, admission);
  return created.id;
}

/** Returns the account that has an email, even if deleted; null if there is none. */
export async function findEmailHolder(
  db: Queryable,
  email: string,
): Promise<{ id: string; isDeleted: boolean } | null> {
  const [holder] = await accounts.findEmailHolder.run({ email }, db);
  return holder ?? null;
}
