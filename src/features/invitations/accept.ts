import type { z } from "zod";
import {
  audit,
  type Call,
  event,
  exactlyOne,
  notify,
  organizationIsSuspended,
  type Queryable,
  type Tx,
  tokenHash,
  transaction,
  unauthenticated,
  validationFailed,
} from "#kit";
import { assertOwnProof, lockForAcceptance, lockOrganizationOfInvitation } from "#kit/inside";
import * as invitations from "#sql/invitations";
import type { AccessTokenClaims } from "../../core/access/access-token.ts";
import { twoFactorRequired } from "../../core/access/errors.ts";
import {
  emailTaken,
  emailUnavailable,
  invalidOrExpiredToken,
  registrationClosed,
} from "../../core/accounts/errors.ts";
import { addMember, grantedRoles } from "../../core/accounts/memberships.ts";
import { assertNotBreached } from "../../core/accounts/outside-checks.ts";
import { passwordViolations } from "../../core/accounts/passwords.ts";
import { admitBirth, createVerifiedUser, findEmailHolder } from "../../core/accounts/registration.ts";
import { memberCreated } from "../members/events.ts";
import { defaultAssignment } from "../roles/read.ts";
import { alreadyMember, invitationEmailMismatch } from "./errors.ts";
import { findByToken } from "./preview.ts";
import { presentInvitation } from "./read.ts";
import type { AcceptBody } from "./schemas.ts";

type NewAccount = { password: string; firstName: string; lastName: string };

/** Returns the data of a new account from the body, or null if the body has only the token. */
export function newAccountOf(body: z.output<typeof AcceptBody>): NewAccount | null {
  const { password, firstName, lastName } = body;
  return password === undefined || firstName === undefined || lastName === undefined
    ? null
    : { password, firstName, lastName };
}

/**
 * Accepts an invitation with a new account, whose email counts as verified. Invalid links are rejected before the
 * password is hashed.
 * @throws registrationClosed, before the invitation is looked up; invalidOrExpiredToken, emailTaken, emailUnavailable,
 * organizationIsSuspended; validationFailed for a password made of the email or names or from a data breach; tooManyRequests if too many hashes for the same email are already waiting
 */
export async function acceptWithNewAccount(call: Call, token: string, account: NewAccount): Promise<void> {
  const { app, db } = call;
  const admission = await admitBirth(call, { path: "invitation" });
  if (admission === null) throw registrationClosed();
  const found = await findByToken(db, token);
  const owner = { ...account, email: found.email };
  const violations = passwordViolations("password", account.password, owner, app.config);
  if (violations.length > 0) throw validationFailed(violations);
  await assertNotBreached(call, "password", account.password);
  await refuseEmailInUse(db, found.email).catch(async (refusal) => {
    // If a concurrent request used this link, that request created the account with the email. The error is then
    // that the link is invalid.
    await findByToken(db, token);
    throw refusal;
  });
  if (found.status === "SUSPENDED") throw organizationIsSuspended();
  const passwordHash = await app.hasher.hash(account.password, { key: found.email, priority: "sign-in" });

  await transaction(call, async (tx) => {
    const invitation = await lockAndFind(tx, token, null);
    await refuseEmailInUse(tx.db, found.email);
    if (invitation.status === "SUSPENDED") throw organizationIsSuspended();
    const { email, language } = invitation;
    const { firstName, lastName } = account;
    const details = { email, firstName, lastName, passwordHash, language };
    const userId = await createVerifiedUser(tx, admission, details);
    if (userId === null) throw emailTaken();
    await acceptAs(tx, invitation, tokenHash(token), userId, {});
    await notify(tx, userId, "WELCOME", {});
  });
}

/**
 * Accepts an invitation with the account to which it was sent. The link is sufficient proof, so the session need
 * not be live (rules 6.11).
 * @param caller the signed-in user, null without a session
 * @throws invalidOrExpiredToken, unauthenticated, twoFactorRequired, reauthenticationRequired for a session that is confined to
 * another organization, invitationEmailMismatch, organizationIsSuspended, alreadyMember
 */
export async function acceptWithAccount(
  call: Call,
  token: string,
  caller: AccessTokenClaims | null,
): Promise<void> {
  if (caller === null || caller.mustEnableTwoFactor) {
    await findByToken(call.db, token);
    throw caller === null ? unauthenticated() : twoFactorRequired();
  }
  const userId = caller.sub;
  await transaction(call, async (tx) => {
    const invitation = await lockAndFind(tx, token, userId);
    const { userEmail } = invitation;
    if (userEmail === null) throw unauthenticated();
    if (caller.organization?.id !== invitation.organizationId)
      await assertOwnProof(tx, { userId, sessionId: caller.sid, claims: caller });
    if (userEmail !== invitation.email && !invitation.isOfFormerEmail) throw invitationEmailMismatch();
    if (invitation.status === "SUSPENDED") throw organizationIsSuspended();
    if (invitation.isMember) throw alreadyMember();
    await acceptAs(tx, invitation, tokenHash(token), userId, { existingAccount: true });
  });
}

/**
 * Accepts the invitation with this digest of its token for somebody whose address the organization has proved, without
 * its link. Returns whether it still could be accepted. Call under the locks of organization and user.
 */
export async function acceptPending(
  tx: Tx,
  ofToken: string,
  userId: string,
  remark: { existingAccount?: true },
): Promise<boolean> {
  const invitation = await findInvited(tx, ofToken, userId);
  if (invitation === null || invitation.isMember) return false;
  await acceptAs(tx, invitation, ofToken, userId, remark);
  return true;
}

type Invitation = NonNullable<Awaited<ReturnType<typeof findInvited>>>;

/**
 * Creates the membership, marks the invitation as accepted, and writes event and notification. Grants the invited
 * roles that still exist, or the default role.
 */
async function acceptAs(
  tx: Tx,
  invitation: Invitation,
  ofToken: string,
  userId: string,
  remark: { existingAccount?: true },
): Promise<void> {
  const { id, organizationId, email, invitedById, named } = invitation;
  const granted = named.filter(({ exists }) => exists);
  const assignments =
    granted.length > 0 ? granted : await defaultAssignment(tx.db, organizationId, invitation.defaultRoleId);

  const place = { organizationId, actorId: userId };
  await event(tx, "invitation.accepted", {
    ...place,
    id,
    object: presentInvitation(invitation, granted),
    reach: { allUnits: named.map(({ unitId }) => unitId) },
  });
  await addMember(tx, { organizationId, userId }, assignments);
  exactlyOne(await invitations.markInvitationAccepted.run({ tokenHash: ofToken, userId }, tx.db));
  await audit(tx, "USER_INVITATION_ACCEPTED", {
    actorId: userId,
    organizationId,
    target: { type: "user", id: userId },
    mentions: named.map(({ unitId }) => unitId),
    metadata: {
      invitationId: id,
      ...grantedRoles(assignments),
      ...remark,
    },
  });
  await memberCreated(tx, { ...place, userId });
  // Notifies the inviter, unless the inviter is the new member (a platform administrator may accept their own
  // invitation) or a service account.
  if (invitedById !== null && invitedById !== userId)
    await notify(tx, invitedById, "INVITATION_ACCEPTED", { email, userId, organizationId });
}

/**
 * Reads the invitation with its roles, under the locks of its organization and, if there is a caller, of the user.
 * @throws invalidOrExpiredToken
 */
async function lockAndFind(tx: Tx, token: string, userId: string | null) {
  const ofToken = tokenHash(token);
  if (userId === null) await lockOrganizationOfInvitation(tx, ofToken);
  else await lockForAcceptance(tx, ofToken, userId);
  const invitation = await findInvited(tx, ofToken, userId);
  if (invitation === null) throw invalidOrExpiredToken();
  return invitation;
}

/** Returns the invitation with this digest of its token, with its roles; null if it cannot be accepted. */
async function findInvited({ db }: Tx, ofToken: string, userId: string | null) {
  const rows = await invitations.listInvitedByToken.run({ tokenHash: ofToken, userId }, db);
  const [invitation] = rows;
  if (invitation === undefined) return null;
  const named = rows.flatMap(({ roleId, roleName, unitId, unitName, exists }) =>
    roleId === null || roleName === null ? [] : { roleId, roleName, unitId, unitName, exists },
  );
  return { ...invitation, named };
}

async function refuseEmailInUse(db: Queryable, email: string): Promise<void> {
  const holder = await findEmailHolder(db, email);
  if (holder !== null) throw holder.isDeleted ? emailUnavailable() : emailTaken();
}
