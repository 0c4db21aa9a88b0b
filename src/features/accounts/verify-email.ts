import { audit, type Call, type Language, mail, newToken, type Tx, tokenHash, transaction } from "#kit";
import { fromStored, lockUsers } from "#kit/inside";
import * as accounts from "#sql/accounts";
import * as people from "#sql/people/accounts";
import { invalidOrExpiredToken } from "../../core/accounts/errors.ts";
import { assertHuman } from "../../core/accounts/outside-checks.ts";
import { createOrganizationForOwner } from "../organizations/create-own.ts";
import { MAIL_WINDOWS } from "./limits.ts";
import { VERIFICATION_QUEUE } from "./queues.ts";

/**
 * Verifies an account's email with the link that was mailed to it.
 * @throws invalidOrExpiredToken for a link that is used, superseded, expired or unknown
 */
export async function verifyEmail(call: Call, token: string): Promise<void> {
  await transaction(call, async (tx) => {
    const [link] = await accounts.findVerificationUser.run({ tokenHash: tokenHash(token) }, tx.db);
    if (link === undefined) throw invalidOrExpiredToken();
    await lockUsers(tx, [link.userId]);

    const [used] = await accounts.useVerification.run({ tokenHash: tokenHash(token) }, tx.db);
    if (used === undefined) throw invalidOrExpiredToken();
    await markEmailVerified(tx, link.userId);
  });
}

/**
 * Marks an account as verified and creates the organization that was named at registration, if people may create some. Does
 * nothing if the account is already verified. Call under the user's lock.
 */
export async function markEmailVerified(tx: Tx, userId: string): Promise<void> {
  const [verified] = await accounts.markEmailVerified.run({ id: userId }, tx.db);
  if (verified === undefined) return;
  await audit(tx, "EMAIL_VERIFIED", { actorId: userId, target: { type: "user", id: userId } });
  const name = verified.pendingOrganizationName;
  // A name that was stored before only platform administrators create organizations is dropped.
  if (name !== null && tx.app.config.organizationCreation === "everyone")
    await createOrganizationForOwner(tx, { name, founderId: userId, origin: "REGISTRATION" });
}

/**
 * Queues a job that mails a new verification link. Responds before the account is looked up, so that neither the
 * response nor its time reveals whether there is an account (rules 4.7).
 * @throws botCheckRequired
 */
export async function requestVerification(
  call: Call,
  { email, botToken }: { email: string; botToken?: string | undefined },
): Promise<void> {
  await assertHuman(call, botToken);
  await transaction(call, (tx) =>
    tx.app.jobs.send(tx.db, VERIFICATION_QUEUE, { email }, { requestId: tx.requestId }),
  );
}

/**
 * Mails a new verification link to an unverified account, within the limits of such mails. Runs in a job, after the
 * response.
 */
export async function resendVerification(call: Call, email: string): Promise<void> {
  await transaction(call, async (tx) => {
    const [found] = await people.findUserByEmail.run({ email }, tx.db);
    if (found === undefined) return;
    await lockUsers(tx, [found.id]);

    // The account is read again under the lock, because it may have been verified.
    const [user] = await people.findUserByEmail.run({ email }, tx.db);
    if (user === undefined || user.isVerified) return;
    const [limit] = await accounts.isVerificationAllowed.run({ userId: user.id, ...MAIL_WINDOWS }, tx.db);
    if (!limit?.isAllowed) return;
    await issueVerification(tx, { id: user.id, email: user.email, language: fromStored(user.language) });
  });
}

type Recipient = { id: string; email: string; language: Language };

/** Mails a new verification link, which invalidates earlier links. */
export async function issueVerification(tx: Tx, { id, email, language }: Recipient): Promise<void> {
  const token = newToken();
  await accounts.supersedeVerification.run({ userId: id }, tx.db);
  await accounts.insertVerification.run({ userId: id, tokenHash: tokenHash(token) }, tx.db);
  await mail(tx, { kind: "verification", to: email, language, data: { token } });
}
