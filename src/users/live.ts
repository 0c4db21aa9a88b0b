import * as accounts from "#sql/accounts";
import type { Queryable } from "../db/prepared-query.ts";

/** Whether the account is there and not deleted. */
export async function isLiveUser(db: Queryable, id: string): Promise<boolean> {
  return (await accounts.findUser.run({ id }, db)).length > 0;
}
