-- A product whose code runs elsewhere (docs/product.md): what it counts, and which rows it wrote.

-- What a product counts for the limits of a plan: one row for each thing, which the product names. The rows of a deleted organization are
-- not read.
CREATE TABLE product_usage (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  limit_name text NOT NULL,
  -- The name that the product gave the thing, so that repeated and late calls count once.
  id text NOT NULL,
  amount bigint NOT NULL CONSTRAINT product_usage_amount_positive CHECK (amount > 0),
  -- The first day of the month of UTC in which the row was first written.
  month date NOT NULL DEFAULT date_trunc('month', now() AT TIME ZONE 'UTC')::date,
  -- When the amount last changed, for the trend.
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT product_usage_pkey PRIMARY KEY (organization_id, limit_name, id)
);

-- Sums of a limit, of all months or of one, read this index only.
CREATE INDEX product_usage_sums ON product_usage (organization_id, limit_name, month) INCLUDE (amount);

ALTER TABLE audit_events ADD COLUMN is_product boolean NOT NULL DEFAULT false;
ALTER TABLE notifications ADD COLUMN is_product boolean NOT NULL DEFAULT false;
-- Whether a mail was sent as well: at most 20 an hour and person.
ALTER TABLE notifications ADD COLUMN is_mailed boolean NOT NULL DEFAULT false;
CREATE INDEX notifications_mailed ON notifications (user_id, created_at) WHERE is_mailed;
ALTER TABLE event_outbox ADD COLUMN is_product boolean NOT NULL DEFAULT false;
ALTER TABLE events ADD COLUMN is_product boolean NOT NULL DEFAULT false;
