import type { z } from "zod";
import * as accounts from "#sql/accounts";
import { unauthenticated } from "../../core/access/errors.ts";
import type { SignedInCall } from "../../core/context.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { fromStored, type Language, toStored } from "../../platform/i18n/languages.ts";
import type { ProfileBody } from "./schemas.ts";

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

/** Changes names and language; what is left out stays. @throws unauthenticated, as `findOwnAccount` */
export async function updateProfile(
  call: SignedInCall,
  { firstName, lastName, language }: z.output<typeof ProfileBody>,
) {
  if (firstName === undefined && lastName === undefined && language === undefined)
    return findOwnAccount(call);
  const change = {
    id: call.actor.userId,
    firstName: firstName ?? null,
    lastName: lastName ?? null,
    language: language === undefined ? null : toStored(language),
  };
  return transaction(call, async (tx) => {
    const [user] = await accounts.updateProfile.run(change, tx.db);
    if (user === undefined) throw unauthenticated();
    return user;
  });
}
