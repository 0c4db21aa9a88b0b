import * as accounts from "#sql/people/accounts";
import { fromStored, type Language } from "../../platform/i18n/languages.ts";
import { unauthenticated } from "../access/errors.ts";
import type { SignedInCall } from "../context.ts";

/**
 * The caller's own account.
 * @throws unauthenticated when it has been deleted since the token was signed
 */
export async function findOwnAccount({ app, actor }: SignedInCall) {
  const [user] = await accounts.findUser.run({ id: actor.userId }, app.db);
  if (user === undefined) throw unauthenticated();
  return user;
}

/** The caller's preferred language. @throws unauthenticated, as `findOwnAccount` */
export async function languageOf(call: SignedInCall): Promise<Language> {
  return fromStored((await findOwnAccount(call)).language);
}
