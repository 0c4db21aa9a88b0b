import type { SignedInCall } from "../../core/context.ts";
import { audit } from "../../core/effects/audit.ts";
import { findMembership, setLastOrganization } from "../../core/people/memberships.ts";
import { awaitAll } from "../../platform/db/await-all.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { invalidRefreshToken, notAMember, organizationSuspended, platformAdminNoSwitch } from "./errors.ts";
import { lockRefreshToken, revokeOnTokenReuse, rotate } from "./refresh.ts";
import { enforceCap, type Session } from "./start.ts";

/**
 * Rotates the session of the cookie, bound to another of the caller's organizations, which later sign-ins begin in.
 * @throws invalidRefreshToken for a cookie that is missing, dead, another's, or just replaced, nothing written;
 * platformAdminNoSwitch, notAMember, organizationSuspended
 */
export async function switchOrganization(
  call: SignedInCall,
  organizationId: string,
  cookie: string | null,
): Promise<Session> {
  const { userId } = call.actor;
  if (cookie === null) throw invalidRefreshToken();
  const session = await transaction(call, async (tx) => {
    const [row, membership] = await awaitAll(
      lockRefreshToken(tx, cookie),
      findMembership(tx.db, { userId, organizationId }),
    );
    if (row === null || row.userId !== userId) return null;
    if (row.isRevoked && !row.hasFreshSuccessor) await revokeOnTokenReuse(tx, row);
    if (row.isRevoked || row.isExpired) return null;
    // Promoted since the access token was signed.
    if (row.isPlatformAdmin) throw platformAdminNoSwitch();

    if (membership === null) throw notAMember();
    if (membership.status === "SUSPENDED") throw organizationSuspended();
    const rotated = await rotate(tx, cookie, organizationId);
    if (rotated === null) return null;
    // Suspended between the two looks.
    if (rotated.activeOrganization.organization?.id !== organizationId) throw organizationSuspended();
    // It may have become lower since the sessions began.
    await enforceCap(tx, userId);
    await setLastOrganization(tx, userId, organizationId);
    await audit(tx, "ORGANIZATION_SWITCHED", {
      organizationId,
      target: { type: "organization", id: organizationId },
    });
    return rotated;
  });
  // Thrown out here, because the end of the sessions must be committed.
  if (session === null) throw invalidRefreshToken();
  return session;
}
