import { counters, type LimitName } from "../../features/billing/usage.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Actor } from "../access/access.ts";
import { lockOrganization } from "../locks.ts";
import { effectivePlan } from "./effective-plan.ts";
import { planLimitReached } from "./errors.ts";

type Addition = {
  organizationId: string;
  limit: LimitName;
  /** Given where platform administrators are not limited (rules 15.4). */
  caller?: Actor | null;
};

/**
 * Refuses an addition above the plan's limit; call it before the insert, in its transaction. Where the plan limits it,
 * it takes the organization's lock, so that parallel additions are counted one after the other, and reads the plan
 * again; where it does not, nobody waits.
 * @throws planLimitReached
 */
export async function assertWithinLimit(tx: Tx, { organizationId, limit, caller }: Addition): Promise<void> {
  if (caller?.isPlatformAdmin) return;
  const allowed = async () =>
    (await effectivePlan(tx.app, tx.db, organizationId))?.plan.limits[limit] ?? null;
  if ((await allowed()) === null) return;
  await lockOrganization(tx, organizationId);
  const max = await allowed();
  if (max === null) return;
  const used = await counters[limit](tx.db, organizationId);
  if (used >= max) throw planLimitReached({ limit, max, used });
}
