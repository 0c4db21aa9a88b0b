import * as accounts from "#sql/accounts";
import type { SignedInCall } from "../context.ts";
import { unauthenticated } from "../http/errors.ts";

/**
 * The caller's own account.
 * @throws unauthenticated when it has been deleted since the token was signed
 */
export async function findOwnAccount({ app, actor }: SignedInCall) {
  const [user] = await accounts.findUser.run({ id: actor.userId }, app.db);
  if (user === undefined) throw unauthenticated();
  return user;
}
