import {
  type AuthenticatedCall,
  audit,
  exactlyOne,
  type Language,
  mail,
  newToken,
  type Queryable,
  type Tx,
  tokenHash,
  unauthenticated,
} from "#kit";
import { fromStored, toStored } from "#kit/inside";
import * as invitations from "#sql/invitations";
import { grantedRoles } from "../../core/accounts/memberships.ts";
import type { NamedAssignment } from "../members/assignments.ts";
import { INVITATION_LIFETIME_DAYS } from "./limits.ts";

/**
 * Reads the values that a new invitation needs: its id; the requested language, otherwise the inviter's, for a service
 * account the service's default; the inviter's name, which is empty for a service account or a deleted account.
 * @throws unauthenticated if the inviter's language is needed and the account has been deleted
 */
export async function prepareInvitation(tx: Tx<AuthenticatedCall>, language: Language | null) {
  const { actor, app } = tx;
  const { id, ...inviter } = exactlyOne(
    await invitations.prepareInvitation.run({ inviterId: actor.id }, tx.db),
  );
  const defaultLanguage = inviter.language === null ? null : fromStored(inviter.language);
  if (language === null && defaultLanguage === null && actor.type === "user") throw unauthenticated();
  return {
    id,
    language: language ?? defaultLanguage ?? app.config.defaultLanguage,
    inviterName: nameOf(inviter),
  };
}

type New = Awaited<ReturnType<typeof prepareInvitation>> & {
  organizationId: string;
  organizationName: string;
  email: string;
  assignments: NamedAssignment[];
  /** The earlier invitation that this one replaces, with all units of its assignments. */
  superseded: { id: string; unitIds: (string | null)[] } | null;
  /** The time from which the mail may be sent; null means now. */
  mailAt: Date | null;
  /** The time from which the mail counts for the hourly limits; null means now. */
  countsAt?: Date | null;
};

/**
 * Inserts an invitation by the caller, and queues the mail with its link. Call under the organization's lock.
 */
export async function issueInvitation(tx: Tx<AuthenticatedCall>, invitation: New): Promise<void> {
  const {
    id,
    organizationId,
    email,
    language,
    assignments,
    superseded,
    mailAt,
    countsAt = null,
  } = invitation;
  const token = newToken();
  const roleIds = assignments.map(({ roleId }) => roleId);
  // PostgreSQL cannot infer the type of an array of nulls; the statement casts it.
  const unitIds = assignments.map(({ unitId }) => unitId) as string[];
  await invitations.insertInvitation.run(
    {
      id,
      organizationId,
      email,
      language: toStored(language),
      tokenHash: tokenHash(token),
      lifetimeDays: INVITATION_LIFETIME_DAYS,
      ...invitedBy(tx),
      roleIds,
      unitIds,
      mailAt,
      countsAt,
    },
    tx.db,
  );
  // A mail that waits gets its token only when it is sent, so that no usable token is stored until then.
  if (mailAt === null) await mailInvitation(tx, { ...invitation, token });
  await audit(tx, "USER_INVITED", {
    organizationId,
    target: { type: "invitation", id, unitIds },
    ...(superseded !== null && { mentions: superseded.unitIds }),
    metadata: {
      email,
      ...grantedRoles(assignments),
      language,
      supersededId: superseded?.id ?? null,
    },
  });
}

/** Returns the columns that name the inviter: the caller, a user or a service account. */
export const invitedBy = ({ actor }: Pick<AuthenticatedCall, "actor">) =>
  actor.type === "user"
    ? { invitedById: actor.userId, invitedByAccountId: null }
    : { invitedById: null, invitedByAccountId: actor.id };

/** Returns the units of an invitation's assignments; null stands for the whole organization. */
export async function unitsOfInvitation(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<(string | null)[]> {
  const named = await invitations.listInvitedUnits.run({ id, organizationId }, db);
  return named.map(({ unitId }) => unitId);
}

type Send = Pick<New, "organizationName" | "email" | "language" | "inviterName"> & { token: string };

/** Queues the mail with an invitation's link. */
export const mailInvitation = (tx: Tx, { token, organizationName, email, language, inviterName }: Send) =>
  mail(tx, { kind: "invitation", to: email, language, data: { token, organizationName, inviterName } });

/** Returns the inviter's name for invitation mails; empty for a deleted account. */
export const nameOf = (inviter: { firstName: string | null; lastName: string | null } | null): string =>
  [inviter?.firstName, inviter?.lastName].filter(Boolean).join(" ");
