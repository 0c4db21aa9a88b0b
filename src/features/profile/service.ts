import type { z } from "zod";
import * as profile from "#sql/profile";
import { unauthenticated } from "../../core/access/errors.ts";
import { findOwnAccount } from "../../core/accounts/own-account.ts";
import type { SignedInCall } from "../../core/context.ts";
import { lockUsers } from "../../core/locks.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { toStored } from "../../platform/i18n/languages.ts";
import type { ProfileBody } from "./schemas.ts";

/** Changes names and language; omitted fields are kept. @throws unauthenticated, as `findOwnAccount` */
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
    // Memberships have copies of the names. Without the lock, a membership that is being inserted would keep the old
    // name. The deletion of an account writes memberships before the account, so it could deadlock with this update.
    await lockUsers(tx, [change.id]);
    const [user] = await profile.updateProfile.run(change, tx.db);
    if (user === undefined) throw unauthenticated();
    return user;
  });
}
