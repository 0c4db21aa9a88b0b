import {
  audit,
  type Call,
  endOf,
  exactlyOne,
  mail,
  type Queryable,
  type Tx,
  tokenHash,
  transaction,
} from "#kit";
import { serializationFailure, withEndedApps } from "#kit/inside";
import * as queries from "#sql/email-changes";
import { cancelEmailChange } from "../../core/accounts/cancel-email-change.ts";
import { lockMemberships } from "../../core/accounts/end-account.ts";
import { invalidOrExpiredToken } from "../../core/accounts/errors.ts";
import { userUpdated } from "../../core/accounts/user.ts";
import { memberUpdated } from "../members/events.ts";
import { endLinks, endSessions } from "./confirm.ts";
import { removeSuspects } from "./suspects.ts";

type Change = Awaited<ReturnType<typeof queries.findChangeToUndo.run>>[number];

/**
 * Undoes a completed change of email, with the link that was mailed to the old address. Ends every session and connected app, and
 * removes what a thief may have added, so that the thief keeps no access (rules 35.6).
 * @throws invalidOrExpiredToken
 */
export async function undoEmailChange(call: Call, token: string): Promise<void> {
  const hash = tokenHash(token);
  await transaction(call, async (tx) => {
    const found = await findChange(tx, hash);
    const memberships = await lockMemberships(tx, found.userId, [found.oldEmail, found.email]);
    const change = await findChange(tx, hash);
    // A later change was completed meanwhile. Its email must be locked before the user, so the transaction is
    // retried.
    if (change.email !== found.email) throw serializationFailure();
    await undo(tx, change, hash);
    await memberUpdated(tx, change.userId, memberships, { email: change.email });
    await userUpdated(tx, change.userId, { email: change.email });
  });
  call.app.meter.count("email_changes_total", { outcome: "undone" });
}

async function findChange({ db }: { db: Queryable }, hash: string): Promise<Change> {
  const [change] = await queries.findChangeToUndo.run({ tokenHash: hash }, db);
  if (change === undefined) throw invalidOrExpiredToken();
  return change;
}

async function undo(tx: Tx, change: Change, hash: string): Promise<void> {
  const { id, userId, oldEmail, email: presentEmail, completedAt } = change;
  await cancelEmailChange(tx, userId);
  if (!exactlyOne(await queries.undoEmail.run({ id, tokenHash: hash }, tx.db)).isUndone)
    throw invalidOrExpiredToken();
  await queries.markUndone.run({ userId, since: completedAt.toISOString() }, tx.db);
  await endSessions(tx, userId);
  const endedApps = await endOf("sessions", tx, userId);
  await endOf("email", tx, userId);
  await endLinks(tx, userId);
  const { language } = await removeSuspects(tx, change, "always");
  await audit(tx, "EMAIL_CHANGE_UNDONE", {
    actorId: userId,
    target: { type: "user", id: userId },
    metadata: { from: presentEmail, to: oldEmail, ...withEndedApps(endedApps) },
  });
  await mail(tx, { kind: "emailChangeUndone", to: presentEmail, language, data: {} });
}
