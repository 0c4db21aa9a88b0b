import type { SignedInCall, Tx } from "../../core/context.ts";
import { lockPlatform } from "../../core/locks.ts";
import { endAccount, lockMemberships } from "../../core/people/end-account.ts";
import { findLiveUser } from "../../core/people/find-live-user.ts";
import { assertNotLastAdmin } from "../../core/people/memberships.ts";
import { type Account, confirmed } from "../../core/people/reauthenticate.ts";
import { retry } from "../../platform/db/transaction.ts";
import { useCode } from "../two-factor/codes.ts";

/**
 * Deletes the caller's own account, as a platform administrator's deletion does, but not the only administrator of
 * others.
 * @throws as `confirmed`; lastAdmin
 */
export async function deleteOwnAccount(
  call: SignedInCall,
  given: { password?: string | undefined; code?: string | undefined },
): Promise<void> {
  let isPlatformLocked = false;
  let memberships: Awaited<ReturnType<typeof lockMemberships>> = [];
  const confirmation = {
    asks: ["password" as const, "code" as const],
    given,
    takeCode: async (tx: Tx, { id, hasTwoFactor }: Account, code: string) =>
      !hasTwoFactor || useCode(tx, id, code),
    lock: async (tx: Tx, userId: string) => {
      isPlatformLocked = (await findLiveUser(tx.db, userId))?.isPlatformAdmin === true;
      if (isPlatformLocked) await lockPlatform(tx);
      memberships = await lockMemberships(tx, userId);
    },
  };
  await confirmed(call, confirmation, async (tx, account) => {
    // Became one in between: the platform's lock comes first, so from the beginning.
    if (account.isPlatformAdmin && !isPlatformLocked) throw retry();
    for (const { id, organizationId } of memberships)
      await assertNotLastAdmin(tx, id, { organizationId, userId: account.id });
    await endAccount(tx, account, memberships, "MEMBER_LEFT");
  });
}
