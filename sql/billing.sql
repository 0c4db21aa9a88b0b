/* Finds the organization of a payment customer. It is not read from the provider's metadata, which is not trusted. */
/* @name findCustomer */
SELECT s.organization_id, s.version, s.subscription_id, s.status, s.price_id, s.current_period_end, s.cancel_at_period_end,
  EXISTS (SELECT FROM memberships m WHERE m.organization_id = o.id AND NOT m.is_deleted) AS "has_members!"
FROM organization_subscriptions s JOIN organizations o ON o.id = s.organization_id AND NOT o.is_deleted
WHERE s.customer_id = :customerId!;

/* Returns the next customers after the given id; '' returns the first ones. */
/* @name findCustomersAfter */
SELECT s.customer_id AS "customer_id!"
FROM organization_subscriptions s JOIN organizations o ON o.id = s.organization_id AND NOT o.is_deleted
WHERE s.customer_id > :after! ORDER BY s.customer_id LIMIT :max!;

/* @name findOrganizationCustomer */
SELECT customer_id, customer_attempt, status, subscription_id FROM organization_subscriptions WHERE organization_id = :organizationId!;

/* Stores the payment customer of an organization. If two are created concurrently, the first is kept and the second
   is never used. */
/* @name setCustomer */
INSERT INTO organization_subscriptions (organization_id, customer_id) VALUES (:organizationId!, :customerId!)
ON CONFLICT ON CONSTRAINT organization_subscriptions_organization_unique
DO UPDATE SET customer_id = COALESCE(organization_subscriptions.customer_id, excluded.customer_id), updated_at = now()
RETURNING customer_id AS "customer_id!";

/* Advances a customer to the next idempotency key. If several requests failed with the same key, only one of them
   advances it. */
/* @name skipCustomerAttempt */
INSERT INTO organization_subscriptions (organization_id, customer_attempt) VALUES (:organizationId!, :attempt! + 1)
ON CONFLICT ON CONSTRAINT organization_subscriptions_organization_unique
DO UPDATE SET customer_attempt = excluded.customer_attempt, updated_at = now()
WHERE organization_subscriptions.customer_attempt = excluded.customer_attempt - 1;

/* @name lockSubscriptionCopy */
SELECT s.version, s.status, s.price_id, s.current_period_end, s.cancel_at_period_end
FROM organization_subscriptions s JOIN organizations o ON o.id = s.organization_id AND NOT o.is_deleted
WHERE s.organization_id = :organizationId! FOR UPDATE OF s;

/* Records a webhook event of the payment provider. Returns no row if the event has been processed already. */
/* @name insertPaymentEvent */
INSERT INTO payment_events (id) VALUES (:id!) ON CONFLICT (id) DO NOTHING RETURNING id;

/* @name updateSubscriptionCopy */
UPDATE organization_subscriptions
SET subscription_id = :subscriptionId, status = :status, price_id = :priceId, current_period_end = :currentPeriodEnd,
  cancel_at_period_end = :cancelAtPeriodEnd!, version = version + 1, updated_at = now()
WHERE organization_id = :organizationId!;

/* Deletes old webhook events. The provider retries an event for days, not for months. */
/* @name deleteOldPaymentEvents */
DELETE FROM payment_events WHERE id IN (
  SELECT id FROM payment_events WHERE received_at < now() - interval '90 days' LIMIT :max!)
RETURNING id;
