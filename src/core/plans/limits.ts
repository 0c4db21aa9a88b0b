import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { Actor } from "../access/access.ts";
import type { Tx } from "../context.ts";
import { lockOrganization } from "../locks.ts";
import { effectivePlan } from "./effective-plan.ts";
import { planLimitReached } from "./errors.ts";

/** How many of something an organization has: what a limit of the plan is compared with. */
export type Counter = (db: Queryable, organizationId: string) => Promise<number>;

type Addition = {
  organizationId: string;
  /** The name of the limit, as the plan file has it. */
  limit: string;
  count: Counter;
  /** Given where platform administrators are not limited (rules 15.4). */
  caller?: Actor | null;
};

/**
 * Refuses an addition above the plan's limit; call it before the insert, in its transaction. Where the plan limits it,
 * it takes the organization's lock, so that parallel additions are counted one after the other, and reads the plan
 * again; where it does not, nobody waits.
 * @throws planLimitReached
 */
export async function assertWithinLimit(
  tx: Tx,
  { organizationId, limit, count, caller }: Addition,
): Promise<void> {
  if (caller?.isPlatformAdmin) return;
  const allowed = async () =>
    (await effectivePlan(tx.app, tx.db, organizationId))?.plan.limits[limit] ?? null;
  if ((await allowed()) === null) return;
  await lockOrganization(tx, organizationId);
  const max = await allowed();
  if (max === null) return;
  const used = await count(tx.db, organizationId);
  if (used >= max) throw planLimitReached({ limit, max, used });
}
