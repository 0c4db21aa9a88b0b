/* Plan override, trial and subscription of an organization. All writes are under the organization's lock. */

/* @name findSubscription */
SELECT plan_override, trial_ends_at, trial_ends_at > now() AS "is_on_trial?", status, price_id,
  current_period_end, cancel_at_period_end
FROM organization_subscriptions WHERE organization_id = :organizationId!;

/* @name listSubscriptions */
SELECT organization_id, plan_override, trial_ends_at, trial_ends_at > now() AS "is_on_trial?", status, price_id,
  cancel_at_period_end
FROM organization_subscriptions WHERE organization_id = ANY (:organizationIds!::uuid[]);

/* @name startTrial */
INSERT INTO organization_subscriptions (organization_id, trial_ends_at)
VALUES (:organizationId!, now() + make_interval(days => :days!))
ON CONFLICT ON CONSTRAINT organization_subscriptions_organization_unique DO NOTHING;

/* @name setPlanOverride */
INSERT INTO organization_subscriptions (organization_id, plan_override) VALUES (:organizationId!, :planOverride)
ON CONFLICT ON CONSTRAINT organization_subscriptions_organization_unique
DO UPDATE SET plan_override = excluded.plan_override, updated_at = now();
