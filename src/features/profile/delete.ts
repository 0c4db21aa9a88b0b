import { endAccount, lockMemberships } from "../../core/accounts/end-account.ts";
import { findLiveUser } from "../../core/accounts/find-live-user.ts";
import { assertNotLastAdmin } from "../../core/accounts/memberships.ts";
import {
  assertConfirmationsLeft,
  assertCredentialsGiven,
  assertRecentIfUnprovable,
  checkPassword,
  countConfirmation,
  findAccountOfSession,
} from "../../core/accounts/reauthenticate.ts";
import type { SignedInCall } from "../../core/context.ts";
import { lockPlatform } from "../../core/locks.ts";
import { serializationFailure, transaction } from "../../platform/db/transaction.ts";
import { memberDeleted } from "../members/leave.ts";
import { completeProof, type GivenProof } from "../two-factor/prove.ts";

/**
 * Deletes the caller's own account, like a deletion by a platform administrator, except that the last administrator
 * of an organization with other members is rejected.
 * @throws unauthenticated, validationFailed, reauthenticationRequired, tooManyRequests, wrongPassword, wrongCode,
 * lastAdmin
 */
export async function deleteOwnAccount(call: SignedInCall, given: GivenProof): Promise<void> {
  const { password, code, recoveryCode } = given;
  const { userId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  assertCredentialsGiven(before, { password, code, recoveryCode });
  await assertRecentIfUnprovable(call, before);
  await assertConfirmationsLeft(call);
  await countConfirmation(call);
  const proof = await checkPassword(call, before, password);

  await transaction(call, async (tx) => {
    const isPlatformLocked = (await findLiveUser(tx.db, userId))?.isPlatformAdmin === true;
    if (isPlatformLocked) await lockPlatform(tx);
    const memberships = await lockMemberships(tx, userId);
    const account = await findAccountOfSession(tx.db, tx.actor);
    await completeProof(tx, account, { given, password: proof, purpose: null, isOlderRoute: true });
    // The user became a platform administrator meanwhile. The platform's lock must be taken before the user's, so the
    // transaction is retried.
    if (account.isPlatformAdmin && !isPlatformLocked) throw serializationFailure();

    await assertNotLastAdmin(tx, userId, memberships);
    for (const { organizationId } of memberships)
      await memberDeleted(tx, { organizationId, userId }, "account_deleted");
    await endAccount(tx, account, memberships, "MEMBER_LEFT");
  });
}
