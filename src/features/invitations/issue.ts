import * as invitations from "#sql/invitations";
import type { SignedInCall, Tx } from "../../core/context.ts";
import { audit } from "../../core/effects/audit.ts";
import { mail } from "../../core/effects/mail.ts";
import { lockEmail } from "../../core/locks.ts";
import { findLiveUser } from "../../core/people/find-live-user.ts";
import { roleEntry } from "../../core/people/memberships.ts";
import { newToken, tokenHash } from "../../platform/crypto.ts";
import { only, type Queryable } from "../../platform/db/prepared-query.ts";
import { tooManyRequests } from "../../platform/errors.ts";
import { type Language, toStored } from "../../platform/i18n/languages.ts";
import type { NamedAssignment } from "../members/assignments.ts";

/** Invitation mails over all instances. Platform administrators send as many as they like, and theirs count. */
const MOST = {
  /** Of an organization in an hour. */
  mostOfOrganization: 200,
  /** Of an organization to one address in an hour, whatever was superseded or revoked meanwhile. */
  mostToAddress: 10,
  /** To one address in a day, of all organizations. */
  mostToAddressFromAll: 20,
};

type New = {
  organizationId: string;
  organizationName: string;
  email: string;
  language: Language;
  assignments: NamedAssignment[];
  supersededId: string | null;
};

/** Writes an invitation of the caller's, and mails its link; answers its id. Under the organization's lock. */
export async function issueInvitation(tx: Tx<SignedInCall>, invitation: New): Promise<string> {
  const { organizationId, email, language, assignments, supersededId } = invitation;
  const token = newToken();
  const { id } = only(
    await invitations.insertInvitation.run(
      {
        organizationId,
        email,
        language: toStored(language),
        tokenHash: tokenHash(token),
        invitedById: tx.actor.userId,
      },
      tx.db,
    ),
  );
  const roleIds = assignments.map(({ roleId }) => roleId);
  // An array of nulls alone has no type of its own; the statement casts it.
  const unitIds = assignments.map(({ unitId }) => unitId) as string[];
  await invitations.insertInvitedRoles.run({ invitationId: id, roleIds, unitIds }, tx.db);
  await sendInvitation(tx, { ...invitation, token });
  await audit(tx, "USER_INVITED", {
    organizationId,
    target: { type: "invitation", id, unitIds },
    ...(supersededId !== null && { mentions: await unitsOfInvitation(tx.db, supersededId) }),
    metadata: {
      email,
      roles: [...new Set(assignments.map(({ roleName }) => roleName))],
      assignments: assignments.map(roleEntry),
      language,
      supersededId,
    },
  });
  return id;
}

/** The units that an invitation names, null among them for the whole organization. */
export async function unitsOfInvitation(db: Queryable, id: string): Promise<(string | null)[]> {
  const named = await invitations.listInvitedUnits.run({ id }, db);
  return named.map(({ unitId }) => unitId);
}

type Send = Pick<New, "organizationId" | "organizationName" | "email" | "language"> & { token: string };

/** Queues the mail with the link, as the caller's, and counts it. */
export async function sendInvitation(tx: Tx<SignedInCall>, send: Send): Promise<void> {
  const { organizationId, organizationName, email, language, token } = send;
  await invitations.insertSend.run({ organizationId, email }, tx.db);
  const inviter = await findLiveUser(tx.db, tx.actor.userId);
  const inviterName = [inviter?.firstName, inviter?.lastName].filter(Boolean).join(" ");
  const data = { token, organizationName, inviterName };
  await mail(tx, { kind: "invitation", to: email, language, data });
}

/**
 * Under the organization's lock; holds the address's until the end.
 * @throws tooManyRequests when as many invitations have been sent as may be
 */
export async function assertSendsLeft(
  tx: Tx<SignedInCall>,
  to: { organizationId: string; email: string },
): Promise<void> {
  if (tx.actor.isPlatformAdmin) return;
  await lockEmail(tx, to.email);
  const [reached] = await invitations.findReachedSendLimit.run({ ...to, ...MOST }, tx.db);
  if (reached !== undefined) throw tooManyRequests(reached.secondsLeft);
}
