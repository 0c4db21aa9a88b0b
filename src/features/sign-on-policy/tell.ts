import { mail, notify, type Tx } from "#kit";
import { connectionFor, toAccount } from "#kit/inside";
import * as queries from "#sql/sign-on-policy";
import { tellHolders } from "../notifications/tell-holders.ts";
import type { AffectedMember, Scope } from "./schemas.ts";

type Announced = { organizationId: string; scope: Scope; requireTwoFactor: boolean; enforceFrom: Date };
type Reasons = (typeof AffectedMember)["shape"]["reasons"]["_output"];

/** The number of members who are told in one transaction. */
const BATCH = 100;
const FIRST = "00000000-0000-0000-0000-000000000000";

/** The job that tells further members of an announcement. */
export const TELL_QUEUE = "sign-on-policy.tell";
export type FurtherMembers = Omit<Announced, "enforceFrom"> & { enforceFrom: string; afterId: string };

/**
 * Tells members who could not act under the announced policy, in the application and by mail: the first ones in this transaction,
 * which others of the organization wait for, and the others by jobs.
 */
export async function tellOfAnnouncement(tx: Tx, announced: Announced, afterId = FIRST): Promise<void> {
  const { organizationId, scope, requireTwoFactor } = announced;
  const enforceFrom = announced.enforceFrom.toISOString();
  const affected = await queries.listAffectedAfter.run(
    { organizationId, scope, requireTwoFactor, afterId, max: BATCH },
    tx.db,
  );
  for (const { userId, email, language, organizationName, reasons } of affected) {
    const { connectionId } = await connectionFor(tx, userId, organizationId);
    const lacking = reasons as Reasons;
    const data = { organizationId, scope, requireTwoFactor, enforceFrom, reasons: lacking, connectionId };
    await notify(tx, userId, "SIGN_ON_ANNOUNCED", data);
    await mail(tx, {
      kind: "signOnAnnounced",
      ...toAccount({ email, language }),
      data: { organizationName, enforceFrom, reasons: lacking },
    });
  }
  const last = affected.at(-1);
  if (last === undefined || affected.length < BATCH) return;
  const further: FurtherMembers = {
    organizationId,
    scope,
    requireTwoFactor,
    enforceFrom,
    afterId: last.userId,
  };
  await tx.app.jobs.send(tx.db, TELL_QUEUE, further, { requestId: tx.requestId });
}

type AboutMember = { organizationId: string; userId: string; email: string };

/** Tells the other members who choose break-glass members that one of them acts without single sign-on. */
export const tellOfUse = (tx: Tx, { organizationId, userId, email }: AboutMember): Promise<void> =>
  tellHolders(
    tx,
    { organizationId, permission: "SingleSignOn.Bypass", except: userId },
    ["BREAK_GLASS_USED", { organizationId, userId, email }],
    (to, organizationName) => mail(tx, { kind: "breakGlassUsed", ...to, data: { organizationName, email } }),
  );

/** Tells the other members who choose break-glass members that one of them lost the second factor. */
export const tellOfUnusable = (tx: Tx, { organizationId, userId, email }: AboutMember): Promise<void> =>
  tellHolders(
    tx,
    { organizationId, permission: "SingleSignOn.Bypass", except: userId },
    ["BREAK_GLASS_UNUSABLE", { organizationId }],
    (to, organizationName) =>
      mail(tx, { kind: "breakGlassUnusable", ...to, data: { organizationName, email } }),
  );
