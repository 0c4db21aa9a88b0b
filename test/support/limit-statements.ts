import * as billing from "#sql/billing";
import { limitNames, planLimits } from "../../src/core/definitions/plan-names.ts";
import { effectivePlan, effectivePlans } from "../../src/core/plans/effective-plan.ts";
import { assertWithinLimit } from "../../src/core/plans/limits.ts";
import { recordStatements, type SentStatement } from "./query-plans.ts";
import type { Service } from "./service.ts";

/** Tables that grow with the number of organizations and users. */
export const BIG_TABLES = new Set([
  "organizations",
  "organization_subscriptions",
  "memberships",
  "units",
  "todos",
  "user_invitations",
  "users",
  "payment_events",
  "audit_events",
]);

/** Records every statement of plans, limits and payments, for one organization and for a page of organizations. */
export async function limitStatements(
  t: Service,
  organizationId: string,
  page: string[],
): Promise<SentStatement[]> {
  const { app } = t.running;
  return recordStatements(t, async (tx) => {
    const { db } = tx;
    await effectivePlan(app, db, organizationId);
    await effectivePlans(app, db, page);
    for (const limit of limitNames()) {
      await planLimits()[limit].count(db, organizationId);
      await assertWithinLimit(tx, { organizationId, limit });
    }
    await billing.findCustomer.run({ customerId: `cus_${organizationId}` }, db);
    await billing.findOrganizationCustomer.run({ organizationId }, db);
    await billing.lockSubscriptionCopy.run({ organizationId }, db);
    await billing.insertPaymentEvent.run({ id: "evt_1" }, db);
  });
}
