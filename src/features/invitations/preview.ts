import type { z } from "zod";
import { type Call, isToken, type Queryable, type Service, tokenHash } from "#kit";
import * as invitations from "#sql/invitations";
import { emailUnavailable, invalidOrExpiredToken } from "../../core/accounts/errors.ts";
import { passwordViolations } from "../../core/accounts/passwords.ts";
import { findEmailHolder } from "../../core/accounts/registration.ts";
import type { PreviewResponse } from "./schemas.ts";

/**
 * Returns the invitation of a link. The link stays valid.
 * @throws invalidOrExpiredToken; emailUnavailable if a deleted account has the email, or a live account had it when
 * the invitation was sent
 */
export async function previewInvitation(
  { db }: Call,
  token: string,
): Promise<z.output<typeof PreviewResponse>> {
  const invitation = await findByToken(db, token);
  const holder = await findEmailHolder(db, invitation.email);
  if (holder?.isDeleted && !invitation.isOfFormerEmail) throw emailUnavailable();
  return {
    email: invitation.email,
    expiresAt: invitation.expiresAt.toISOString(),
    organization: { name: invitation.organizationName },
    accountExists: holder !== null,
  };
}

/** Returns the violations of a password that consists of the names in the same body or of the invited email. */
export async function acceptanceViolations(body: Record<string, unknown>, { app, db }: Service) {
  const { token, password } = body;
  if (typeof token !== "string" || !isToken(token)) return [];
  const [found] = await invitations.findInvitationByToken.run({ tokenHash: tokenHash(token) }, db);
  if (found === undefined) return [];
  return passwordViolations("password", password, { ...body, email: found.email }, app.config);
}

/** Finds a valid invitation. @throws invalidOrExpiredToken for every kind of invalid link */
export async function findByToken(db: Queryable, token: string) {
  const [found] = await invitations.findInvitationByToken.run({ tokenHash: tokenHash(token) }, db);
  if (found === undefined) throw invalidOrExpiredToken();
  return found;
}
