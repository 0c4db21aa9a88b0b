import type { Actor } from "../access/access.ts";
import type { Tx } from "../context.ts";
import { type LimitName, planLimits } from "../definitions/plan-names.ts";
import { lockOrganization } from "../locks.ts";
import { effectivePlan } from "./effective-plan.ts";
import { planLimitReached } from "./errors.ts";

type Limited = {
  organizationId: string;
  limit: LimitName;
  /** The caller; only given by routes where platform administrators are exempt from plan limits (rules 15.4). */
  caller?: Actor | null;
};

/**
 * Rejects an addition above the plan's limit. Call before the insert, in its transaction. If the plan has a limit,
 * takes the organization's lock, so that concurrent additions are serialized, and reads the plan again. Otherwise
 * takes no lock.
 * @throws planLimitReached
 */
export async function assertWithinLimit(tx: Tx, limited: Limited): Promise<void> {
  if ((await findLimit(tx, limited)) === null) return;
  const { organizationId, limit } = limited;
  await lockOrganization(tx, organizationId);
  const max = await findLimit(tx, limited);
  assertBelow(limit, max, await planLimits()[limit].count(tx.db, organizationId));
}

/** Returns the plan's limit; null means unlimited. It cannot change while the organization's lock is held. */
export async function findLimit(tx: Tx, { organizationId, limit, caller }: Limited): Promise<number | null> {
  if (caller?.isPlatformAdmin) return null;
  return (await effectivePlan(tx.app, tx.db, organizationId))?.plan.limits[limit] ?? null;
}

/** Checks a plan limit. @throws planLimitReached if `added` more records would exceed the limit */
export function assertBelow(limit: LimitName, max: number | null, used: number, added = 1): void {
  if (max !== null && used + added > max) throw planLimitReached({ limit, max, used });
}
