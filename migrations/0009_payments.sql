-- Events of the payment provider take effect once each; the copy of a subscription counts its own changes, so that an
-- answer of the provider that was overtaken is noticed.

ALTER TABLE organization_subscriptions ADD COLUMN version integer NOT NULL DEFAULT 0;

CREATE TABLE payment_events (
  -- The provider's.
  id text PRIMARY KEY,
  received_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX payment_events_age ON payment_events (received_at);
