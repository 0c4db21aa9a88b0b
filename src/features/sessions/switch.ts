import { audit, type SignedInCall, transaction } from "#kit";
import { findMembership, setLastOrganization } from "../../core/accounts/memberships.ts";
import { invalidRefreshToken, notAMember, organizationSuspended, platformAdminNoSwitch } from "./errors.ts";
import { lockRefreshToken, revokeOnTokenReuse, rotate } from "./refresh.ts";
import { enforceCap, type Session } from "./start.ts";

/**
 * Continues the session of the cookie in another organization of the caller, with a new refresh token. Later
 * sign-ins begin in that organization.
 * @throws invalidRefreshToken, with nothing written, if the cookie is missing, expired, just replaced or of another
 * user; platformAdminNoSwitch, notAMember, organizationSuspended
 */
export async function switchOrganization(
  call: SignedInCall,
  organizationId: string,
  cookie: string | null,
): Promise<Session> {
  const arrivedAt = performance.now();
  const { userId } = call.actor;
  if (cookie === null) throw invalidRefreshToken();
  const session = await transaction(call, async (tx) => {
    const row = await lockRefreshToken(tx, cookie, arrivedAt);
    if (row === null || row.userId !== userId) return null;
    if (row.isReused) await revokeOnTokenReuse(tx, row);
    if (row.isRevoked || row.isExpired) return null;
    // The user became a platform administrator after the access token was signed.
    if (row.isPlatformAdmin) throw platformAdminNoSwitch();

    const membership = await findMembership(tx.db, { userId, organizationId });
    if (membership === null) throw notAMember();
    if (membership.status === "SUSPENDED") throw organizationSuspended();
    const rotated = await rotate(tx, cookie, { preferredId: organizationId });
    if (rotated === null) return null;
    // The organization was suspended between the two queries.
    if (rotated.activeOrganization.organization?.id !== organizationId) throw organizationSuspended();
    // The maximum number of sessions may have been lowered since the sessions began.
    await enforceCap(tx, userId);
    await setLastOrganization(tx, userId, organizationId);
    await audit(tx, "ORGANIZATION_SWITCHED", {
      organizationId,
      target: { type: "organization", id: organizationId },
    });
    return rotated;
  });
  // The error is thrown outside of the transaction, because the revocation of the sessions must be committed.
  if (session === null) throw invalidRefreshToken();
  return session;
}
