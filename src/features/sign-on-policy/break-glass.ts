import { audit, type Call, ORG_ADMIN, type Tx, transaction } from "#kit";
import * as accounts from "#sql/people/accounts";
import * as queries from "#sql/sign-on-policy";
import { breakGlassRequired } from "../../core/access/sign-on-errors.ts";
import { tellOfUnusable, tellOfUse } from "./tell.ts";

/**
 * Checks that none of these organizations loses its last usable break-glass member, while it requires its own sign-in of somebody or has
 * announced it. Call under the organizations' locks, before the member leaves, is removed or is demoted.
 * @throws breakGlassRequired
 */
export async function assertBreakGlassLeft(tx: Tx, userId: string, organizationIds: string[]): Promise<void> {
  if (!tx.app.config.sso) return;
  const of = { userId, organizationIds, adminRoleId: ORG_ADMIN.id };
  if ((await queries.listOrganizationsOfLastBreakGlass.run(of, tx.db)).length > 0) throw breakGlassRequired();
}

/** Tells the other administrators that a break-glass member has lost the second factor. */
export async function tellOfLostFactor(tx: Tx, userId: string): Promise<void> {
  if (!tx.app.config.sso) return;
  const organizations = await queries.listOrganizationsOfBreakGlass.run({ userId }, tx.db);
  const [user] = organizations.length === 0 ? [] : await accounts.findUser.run({ id: userId }, tx.db);
  if (user === undefined) return;
  for (const { id } of organizations)
    await tellOfUnusable(tx, { organizationId: id, userId, email: user.email });
}

/**
 * Records that a break-glass member acts by own proofs, once for each session: an audit event, and a mail to the others. Best effort: a
 * failure is logged, because the session has started already.
 */
export async function recordUse(
  call: Call,
  { userId, sessionId, organizationId }: { userId: string; sessionId: string; organizationId: string },
): Promise<void> {
  await transaction(call, async (tx) => {
    const [recorded] = await queries.recordBreakGlassUse.run({ userId, sessionId, organizationId }, tx.db);
    const [user] = recorded === undefined ? [] : await accounts.findUser.run({ id: userId }, tx.db);
    if (user === undefined) return;
    const target = { type: "user", id: userId } as const;
    await audit(tx, "BREAK_GLASS_USED", { actorId: userId, organizationId, target, metadata: { sessionId } });
    await tellOfUse(tx, { organizationId, userId, email: user.email });
    tx.app.meter.count("break_glass_uses_total");
  }).catch((err) =>
    call.log.error("use of a break-glass member not recorded", { err, requestId: call.requestId }),
  );
}
