-- The plan of an organization: the copy of the payment provider's subscription, the trial, and the override of a platform
-- administrator. The effective plan is computed (src/core/plans/effective-plan.ts), never stored.

CREATE TABLE organization_subscriptions (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id)
    CONSTRAINT organization_subscriptions_organization_unique UNIQUE,
  -- A key of the plan file. A key that the file no longer has is ignored.
  plan_override text,
  trial_ends_at timestamptz(3),
  -- The subscription in the provider's terms, as last read from it. Null if there never was one.
  customer_id text CONSTRAINT organization_subscriptions_customer_unique UNIQUE,
  subscription_id text CONSTRAINT organization_subscriptions_subscription_unique UNIQUE,
  status text,
  price_id text,
  current_period_end timestamptz(3),
  cancel_at_period_end boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Counts the changes of the copy, so that an outdated response of the provider is noticed.
  version integer NOT NULL DEFAULT 0,
  -- Part of the idempotency key with which the provider creates a customer. It changes after a failure, because the
  -- provider repeats the result of a key.
  customer_attempt integer NOT NULL DEFAULT 0
);

-- Events of the payment provider: each takes effect once.
CREATE TABLE payment_events (
  -- The provider's id of the event.
  id text PRIMARY KEY,
  received_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX payment_events_age ON payment_events (received_at);
