import { type App, audit, changedFields, event, type Tx, validationFailed } from "#kit";
import * as subscriptions from "#sql/plans";
import { effectivePlan } from "../../core/plans/effective-plan.ts";
import { presentPlan } from "../../core/plans/schemas.ts";

/** Checks that a plan exists. @throws validationFailed for an unknown plan */
export function assertKnownPlan(app: App, planOverride: string | null): void {
  const { plans } = app.config.billing;
  if (planOverride === null || plans?.plans.some(({ key }) => key === planOverride)) return;
  throw validationFailed([{ path: "planOverride", message: "planOverride must be an existing plan" }]);
}

/** Sets or clears the plan override of an organization. Call under the organization's lock. */
export async function overridePlan(
  tx: Tx,
  organizationId: string,
  planOverride: string | null,
): Promise<void> {
  const [copy] = await subscriptions.findSubscription.run({ organizationId }, tx.db);
  const from = copy?.planOverride ?? null;
  if (from === planOverride) return;
  const before = presentPlan((await effectivePlan(tx.app, tx.db, organizationId)) ?? undefined);
  await subscriptions.setPlanOverride.run({ organizationId, planOverride }, tx.db);
  await audit(tx, "ORGANIZATION_PLAN_CHANGED", {
    organizationId,
    target: { type: "organization", id: organizationId },
    metadata: { from, to: planOverride },
  });
  const after = presentPlan((await effectivePlan(tx.app, tx.db, organizationId)) ?? undefined);
  const none = { key: null, source: null };
  await event(tx, "organization.plan_changed", {
    organizationId,
    id: organizationId,
    object: after ?? none,
    previous: changedFields(before ?? none, after ?? none)?.from,
    reach: "organization",
  });
}

/** Starts the trial of a new organization, if the plan file has one. */
export async function startTrial(tx: Tx, organizationId: string): Promise<void> {
  const trial = tx.app.config.billing.plans?.trial ?? null;
  if (trial !== null) await subscriptions.startTrial.run({ organizationId, days: trial.days }, tx.db);
}
