import * as accounts from "#sql/people/accounts";
import type { Queryable } from "../../platform/db/prepared-query.ts";

/** Returns an account that is not deleted; null if there is none. */
export async function findLiveUser(db: Queryable, id: string) {
  const [user] = await accounts.findUser.run({ id }, db);
  return user ?? null;
}
