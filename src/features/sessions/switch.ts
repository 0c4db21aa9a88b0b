import { audit, type SignedInCall, transaction } from "#kit";
import { assertMayAct, listWaysToProve } from "#kit/inside";
import { reauthenticationRequired } from "../../core/access/errors.ts";
import { hasOwnProof, isProvenFor } from "../../core/access/proofs.ts";
import { findMembership, setLastOrganization } from "../../core/accounts/memberships.ts";
import { invalidRefreshToken, notAMember, organizationSuspended, platformAdminNoSwitch } from "./errors.ts";
import { lockRefreshToken, revokeOnTokenReuse, rotate } from "./refresh.ts";
import { enforceCap, type Session } from "./start.ts";

/**
 * Continues the session of the cookie in another organization of the caller, with a new refresh token. Later
 * sign-ins begin in that organization.
 * @throws invalidRefreshToken, with nothing written, if the cookie is missing, expired, just replaced or of another
 * user; platformAdminNoSwitch, notAMember, organizationSuspended; reauthenticationRequired for a session that was only
 * proven by connections of other organizations, and the errors of `assertMayAct`
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
    // Before any look-up: a confined session learns nothing of organizations that it was not proven for.
    const isConfined = !hasOwnProof(row);
    if (isConfined && !isProvenFor(row, organizationId)) {
      const methods = await listWaysToProve(tx, userId);
      throw reauthenticationRequired({ methods, maxAgeSeconds: null });
    }
    const membership = await findMembership(tx.db, { userId, organizationId });
    if (membership === null) throw notAMember();
    if (membership.status === "SUSPENDED") throw organizationSuspended();
    await assertMayAct(tx, organizationId, row.sessionId);
    const rotated = await rotate(tx, cookie, { preferredId: organizationId });
    if (rotated === null) return null;
    // The organization was suspended between the two queries.
    if (rotated.activeOrganization.organization?.id !== organizationId) throw organizationSuspended();
    // The maximum number of sessions may have been lowered since the sessions began.
    await enforceCap(tx, userId);
    if (!isConfined) await setLastOrganization(tx, userId, organizationId);
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
