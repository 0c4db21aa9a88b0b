import type { z } from "zod";
import {
  audit,
  conflict,
  exactlyOne,
  mail,
  newToken,
  notify,
  type SignedInCall,
  type Tx,
  tokenHash,
  tooManyRequests,
  transaction,
  validationFailed,
} from "#kit";
import { fromStored, lockEmails, serializationFailure } from "#kit/inside";
import * as queries from "#sql/email-changes";
import * as accounts from "#sql/people/accounts";
import { countAttempt } from "../../core/accounts/attempts.ts";
import { cancelEmailChange } from "../../core/accounts/cancel-email-change.ts";
import { emailTaken } from "../../core/accounts/errors.ts";
import { type Account, findAccountOfSession, lockAccount } from "../../core/accounts/reauthenticate.ts";
import { emailViolations } from "../../core/accounts/registration.ts";
import { findOwnAccount } from "../../core/accounts/user.ts";
import { LIMITS } from "./limits.ts";
import type { EmailState } from "./schemas.ts";

const WINDOWS = {
  pauseSeconds: LIMITS.changesInAMinute.perSeconds,
  points: LIMITS.changesInADay.points,
  seconds: LIMITS.changesInADay.perSeconds,
};

/** Returns the caller's email and the pending change. @throws unauthenticated for a deleted account */
export async function getEmail(call: SignedInCall): Promise<z.output<typeof EmailState>> {
  const { id: userId, email } = await findOwnAccount(call);
  const [pending] = await queries.findPendingChange.run({ userId }, call.db);
  const { undoUntil } = exactlyOne(await queries.findUndoUntil.run({ userId }, call.db));
  return {
    email,
    pending:
      pending === undefined
        ? null
        : {
            email: pending.newEmail,
            oldConfirmed: pending.isOldConfirmed,
            newConfirmed: pending.isNewConfirmed,
            expiresAt: pending.expiresAt.toISOString(),
          },
    undoUntil: undoUntil?.toISOString() ?? null,
  };
}

/**
 * Requests a change of email: mails a link to both addresses, and replaces an earlier request.
 * @throws validationFailed for a blocked domain; unauthenticated, tooManyRequests, emailTaken; conflict for the caller's current email
 */
export async function requestEmailChange(call: SignedInCall, newEmail: string) {
  const violations = emailViolations(newEmail, call.app.config);
  if (violations.length > 0) throw validationFailed(violations);
  const requested = await transaction(call, async (tx) => {
    const before = await findAccountOfSession(tx.db, tx.actor);
    await lockEmails(tx, [before.email, newEmail]);
    const account = await lockAccount(tx);
    // The account's email has changed since it was read. Emails must be locked before users, so the transaction is
    // retried.
    if (account.email !== before.email) throw serializationFailure();
    const { seconds } = exactlyOne(
      await queries.findChangeWait.run({ userId: account.id, ...WINDOWS }, tx.db),
    );
    if (seconds !== null) throw tooManyRequests(seconds);
    if (account.email === newEmail) throw conflict();
    const params = { userId: account.id, email: newEmail };
    if (exactlyOne(await queries.isEmailOfAnother.run(params, tx.db)).isInUse) {
      await countAttempt(tx, { userId: account.id, place: "EMAIL_CHANGE" });
      return null;
    }
    return issueLinks(tx, account, newEmail);
  });
  // The error is thrown outside of the transaction, because the refusal must be counted: otherwise the emails of
  // other accounts could be tried without limit.
  if (requested === null) throw emailTaken();
  call.app.meter.count("email_changes_total", { outcome: "requested" });
  return requested;
}

async function issueLinks(tx: Tx<SignedInCall>, account: Account, newEmail: string) {
  const { id: userId, email: oldEmail } = account;
  const { emailChangeNeedsOld: needsOld } = tx.app.config;
  const [oldToken, newToken_] = [newToken(), newToken()];
  await accounts.cancelEmailChange.run({ userId }, tx.db);
  const { expiresAt } = exactlyOne(
    await queries.insertChange.run(
      {
        userId,
        oldEmail,
        newEmail,
        needsOld,
        oldTokenHash: tokenHash(oldToken),
        newTokenHash: tokenHash(newToken_),
      },
      tx.db,
    ),
  );
  const metadata = { from: oldEmail, to: newEmail };
  await audit(tx, "EMAIL_CHANGE_REQUESTED", { target: { type: "user", id: userId }, metadata });
  await notify(tx, userId, "EMAIL_CHANGE_REQUESTED", metadata);
  const language = fromStored(account.language);
  await mail(tx, {
    kind: "emailChangeOld",
    to: oldEmail,
    language,
    data: { token: oldToken, newEmail, needsConfirmation: needsOld },
  });
  await mail(tx, { kind: "emailChangeNew", to: newEmail, language, data: { token: newToken_ } });
  return { email: newEmail, expiresAt: expiresAt.toISOString() };
}

/** Cancels the caller's pending change of email, if there is one. @throws unauthenticated */
export async function cancelOwnEmailChange(call: SignedInCall): Promise<void> {
  await transaction(call, async (tx) => {
    const { id } = await lockAccount(tx);
    await cancelEmailChange(tx, id);
  });
}

/** Returns the previous emails of the caller's account, oldest first. */
export async function listFormerEmails({ db, actor }: SignedInCall) {
  const rows = await queries.listFormerEmails.run({ userId: actor.userId }, db);
  return rows.map(({ email, usedFrom, usedUntil }) => ({
    email,
    usedFrom: usedFrom.toISOString(),
    usedUntil: usedUntil.toISOString(),
  }));
}
