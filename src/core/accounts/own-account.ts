import * as accounts from "#sql/people/accounts";
import { fromStored, type Language } from "../../platform/i18n/languages.ts";
import { unauthenticated } from "../access/errors.ts";
import type { AuthenticatedCall, SignedInCall } from "../context.ts";

/**
 * Returns the caller's own account.
 * @throws unauthenticated if it has been deleted since the token was signed
 */
export async function findOwnAccount({ db, actor }: SignedInCall) {
  const [user] = await accounts.findUser.run({ id: actor.userId }, db);
  if (user === undefined) throw unauthenticated();
  return user;
}

/**
 * Returns the caller's preferred language; for a service account the service's default language.
 * @throws unauthenticated if the account has been deleted since the token was signed
 */
export async function languageOf({ actor, ...call }: AuthenticatedCall): Promise<Language> {
  if (actor.type !== "user") return call.app.config.defaultLanguage;
  return fromStored((await findOwnAccount({ ...call, actor })).language);
}
