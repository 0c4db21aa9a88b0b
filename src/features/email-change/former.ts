import type { SignedInCall } from "#kit";
import * as queries from "#sql/email-changes";

/** Returns the previous emails of the caller's account, oldest first. */
export async function listFormerEmails({ db, actor }: SignedInCall) {
  const rows = await queries.listFormerEmails.run({ userId: actor.userId }, db);
  return rows.map(({ email, usedFrom, usedUntil }) => ({
    email,
    usedFrom: usedFrom.toISOString(),
    usedUntil: usedUntil.toISOString(),
  }));
}
