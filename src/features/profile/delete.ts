import { type SignedInCall, transaction } from "#kit";
import { lockPlatform, serializationFailure } from "#kit/inside";
import { endAccount, lockMemberships } from "../../core/accounts/end-account.ts";
import { assertNotLastAdmin } from "../../core/accounts/memberships.ts";
import {
  assertConfirmationsLeft,
  assertCredentialsGiven,
  assertRecentIfUnproven,
  countConfirmation,
  findAccountOfSession,
} from "../../core/accounts/reauthenticate.ts";
import { findLiveUser } from "../../core/accounts/user.ts";
import { endMemberships } from "../departures/end.ts";
import { beginProof, completeProof, type GivenProof, withKeys } from "../two-factor/prove.ts";

/**
 * Deletes the caller's own account, like a deletion by a platform administrator, except that the last administrator
 * of an organization with other members is rejected.
 * @throws unauthenticated, validationFailed, reauthenticationRequired, tooManyRequests, wrongPassword, wrongCode,
 * lastAdmin, subscriptionRenews
 */
export async function deleteOwnAccount(call: SignedInCall, given: GivenProof): Promise<void> {
  const { userId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  assertCredentialsGiven(before, withKeys(given));
  await assertRecentIfUnproven(call, before, given);
  await assertConfirmationsLeft(call);
  await countConfirmation(call);
  const checked = await beginProof(call, before, given);

  await transaction(call, async (tx) => {
    const isPlatformLocked = (await findLiveUser(tx.db, userId))?.isPlatformAdmin === true;
    if (isPlatformLocked) await lockPlatform(tx);
    const memberships = await lockMemberships(tx, userId);
    const account = await findAccountOfSession(tx.db, tx.actor);
    await completeProof(tx, account, { given, checked, purpose: null, isOlderRoute: true });
    // The user became a platform administrator meanwhile. The platform's lock must be taken before the user's, so the
    // transaction is retried.
    if (account.isPlatformAdmin && !isPlatformLocked) throw serializationFailure();

    await assertNotLastAdmin(tx, userId, memberships);
    const endedApps = await endMemberships(tx, userId, memberships, "account_deleted_by_owner");
    await endAccount(tx, account, endedApps);
  });
}
