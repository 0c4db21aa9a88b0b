import * as accounts from "#sql/accounts";
import type { SignedInCall } from "../context.ts";
import { unauthenticated } from "../http/errors.ts";
import { fromStored, type Language } from "../i18n/languages.ts";

/**
 * The caller's own account.
 * @throws unauthenticated when it has been deleted since the token was signed
 */
export async function findOwnAccount({ app, actor }: SignedInCall) {
  const [user] = await accounts.findUser.run({ id: actor.userId }, app.db);
  if (user === undefined) throw unauthenticated();
  return user;
}

/** The language that the caller chose. @throws unauthenticated, as `findOwnAccount` */
export async function languageOf(call: SignedInCall): Promise<Language> {
  return fromStored((await findOwnAccount(call)).language);
}
