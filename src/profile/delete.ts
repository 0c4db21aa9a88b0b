import type { SignedInCall } from "../context.ts";
import { lockPlatform } from "../db/locks.ts";
import { startOver, type Tx } from "../db/transaction.ts";
import { refuseLastAdminToGo } from "../members/memberships.ts";
import { useCode } from "../two-factor/codes.ts";
import { endAccount, lockMemberships } from "../users/end.ts";
import { findLiveUser } from "../users/live.ts";
import { type Account, confirmed } from "./confirm.ts";

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
    if (account.isPlatformAdmin && !isPlatformLocked) throw startOver();
    for (const { id, organizationId } of memberships)
      await refuseLastAdminToGo(tx, id, { organizationId, userId: account.id });
    await endAccount(tx, account, memberships, "MEMBER_LEFT");
  });
}
