-- What is known of an organization's plan: the copy of the payment provider's subscription, the trial, and what a
-- platform administrator decided. Which plan follows is computed (src/core/plans/effective-plan.ts), never stored.

CREATE TABLE organization_subscriptions (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id)
    CONSTRAINT organization_subscriptions_organization_unique UNIQUE,
  -- A key of the plan file; one that is no longer there is skipped.
  plan_override text,
  trial_ends_at timestamptz(3),
  -- The provider's words for the subscription, as last read from it. Null where there never was one.
  customer_id text CONSTRAINT organization_subscriptions_customer_unique UNIQUE,
  subscription_id text CONSTRAINT organization_subscriptions_subscription_unique UNIQUE,
  status text,
  price_id text,
  current_period_end timestamptz(3),
  cancel_at_period_end boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
