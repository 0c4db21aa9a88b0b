import type { z } from "zod";
import {
  ApiError,
  memoizePerApp,
  type OrganizationCall,
  Rate,
  savepoint,
  type Tx,
  unauthenticated,
} from "#kit";
import { lockEmails } from "#kit/inside";
import { countSeats } from "../../core/accounts/pending-invitations.ts";
import type { BulkInvitations, BulkInviteBody } from "./bulk-schemas.ts";
import { assertMayInvite, inviteInTurn, readCaller } from "./invite.ts";
import { LIMITS } from "./limits.ts";

const bulksOf = memoizePerApp(() => new Rate(LIMITS.bulks));

type Body = z.output<typeof BulkInviteBody>;
type Row = Body["rows"][number];
type Result = z.output<typeof BulkInvitations>["rows"][number];

/**
 * Invites many email addresses in one transaction (rules 14.17). Each row is checked like a single invitation, in the
 * order of the rows; a refused row changes nothing and does not stop the others. Mails above an hourly limit wait.
 * @throws organizationIsSuspended, and what `authorize` throws; tooManyRequests for too many requests like this
 */
export async function inviteMany(tx: Tx<OrganizationCall>, { rows, dryRun }: Body) {
  const { organizationId, db } = tx;
  const inviter = await assertMayInvite(tx, await readCaller(tx));
  bulksOf(tx.app).consume(organizationId);
  if (!tx.actor.isPlatformAdmin) {
    // Before the savepoints: a lock that is taken after one ends with it.
    const emails = rows.map(({ email }) => email);
    await lockEmails(tx, emails);
  }
  const { maxSeats } = inviter;
  const free = maxSeats === null ? null : Math.max(0, maxSeats - (await countSeats(db, organizationId)));

  let [needed, mailsWaiting] = [0, 0];
  const seen = new Set<string>();
  const results: Result[] = [];
  for (const [index, row] of rows.entries()) {
    const { email } = row;
    const result = seen.has(email) ? DUPLICATE : await inviteRow(tx, inviter, row);
    seen.add(email);
    if (result instanceof ApiError) {
      const { code, message } = result;
      if (code === "PLAN_LIMIT_REACHED") needed += 1;
      results.push({ index, email, outcome: "refused", code, message, invitationId: null });
      continue;
    }
    needed += result.seats;
    if (result.mailAt !== null) mailsWaiting += 1;
    const outcome = result.supersedes ? "superseded" : "invited";
    const invitationId = dryRun ? null : result.id;
    results.push({ index, email, outcome, code: null, message: null, invitationId });
  }
  return { rows: results, seats: { needed, free }, mailsWaiting };
}

const DUPLICATE = new ApiError(409, "DUPLICATE", "The address is already in an earlier row");

/** Returns the error if the row is refused. Any other error fails the request. */
async function inviteRow(
  tx: Tx<OrganizationCall>,
  inviter: Awaited<ReturnType<typeof assertMayInvite>>,
  row: Row,
) {
  try {
    return await savepoint(tx, () => inviteInTurn(tx, inviter, row));
  } catch (error) {
    const isOfRow = error instanceof ApiError && error.status < 500 && error.code !== unauthenticated.code;
    if (!isOfRow) throw error;
    return error;
  }
}
