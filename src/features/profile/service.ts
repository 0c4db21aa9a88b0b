import type { z } from "zod";
import { changedFields, type SignedInCall, transaction, unauthenticated } from "#kit";
import { isFollowed, lockUsers, toStored } from "#kit/inside";
import * as profile from "#sql/profile";
import { lockMemberships } from "../../core/accounts/end-account.ts";
import { findLiveUser, findOwnAccount, presentUser, userUpdated } from "../../core/accounts/user.ts";
import { memberUpdated } from "../members/events.ts";
import type { ProfileBody } from "./schemas.ts";

/** Changes the caller's names and language; omitted fields are kept. @throws unauthenticated for a deleted account */
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
    // Memberships contain copies of the names, so the user's lock is required:
    // - Without the lock, a membership that is being inserted would keep the old name.
    // - The deletion of an account writes memberships before the account, so it could deadlock with this update.
    //
    // A change of names also locks the organizations, because their events show the member with roles and units.
    const isNamed = firstName !== undefined || lastName !== undefined;
    const memberships = isNamed && tx.app.config.events ? await lockMemberships(tx, change.id) : [];
    if (memberships.length === 0) await lockUsers(tx, [change.id]);
    const isTold = memberships.length > 0 || isFollowed(tx.app);
    const before = isTold ? await findLiveUser(tx.db, change.id) : null;
    const [user] = await profile.updateProfile.run(change, tx.db);
    if (user === undefined) throw unauthenticated();
    if (before === null) return user;
    const names = changedFields({ firstName: before.firstName, lastName: before.lastName }, user)?.from ?? {};
    const languages =
      changedFields({ language: presentUser(before).language }, presentUser(user))?.from ?? {};
    const previous = { ...names, ...languages };
    if (Object.keys(names).length > 0) await memberUpdated(tx, change.id, memberships, names);
    if (Object.keys(previous).length > 0) await userUpdated(tx, change.id, previous, user);
    return user;
  });
}
