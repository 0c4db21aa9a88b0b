-- Webhook endpoints: addresses to which an organization has its events sent, the deliveries to them, and every attempt.

CREATE TABLE webhook_endpoints (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  url text NOT NULL,
  description text NOT NULL DEFAULT '',
  -- Types of events, or '*' for all, later ones included.
  event_types text[] NOT NULL,
  is_enabled boolean NOT NULL DEFAULT true,
  -- NO_MEMBERS: the last member left the organization.
  disabled_reason text CONSTRAINT webhook_endpoints_reason_known
    CHECK (disabled_reason IN ('MANUAL', 'FAILING', 'GONE', 'CREATOR_DELETED', 'NO_MEMBERS')),
  disabled_at timestamptz(3),
  -- Encrypted with JOBS_ENCRYPTION_KEY.
  secret text NOT NULL,
  previous_secret text,
  previous_secret_ends_at timestamptz(3),
  -- Since when every attempt has failed, and how many have. Null after a success.
  failing_since timestamptz(3),
  failure_count integer NOT NULL DEFAULT 0,
  last_failure_at timestamptz(3),
  warned_at timestamptz(3),
  -- When members were last mailed about the endpoint: at most once an hour, so that a receiver cannot make the service send endless mails.
  mailed_at timestamptz(3),
  last_success_at timestamptz(3),
  -- Whether one of the latest requests took more than two seconds. Slow endpoints share the slots of failing ones, so that they cannot take
  -- the slots of fast ones.
  is_slow boolean NOT NULL DEFAULT false,
  -- While the organization is suspended: since when.
  paused_at timestamptz(3),
  -- When deliveries are due. Null if none is pending.
  next_due_at timestamptz(3),
  -- Until when an instance works on the deliveries; a crash frees the endpoint at that time.
  leased_until timestamptz(3),
  -- Attempts in the current hour, counted until the first success.
  hour_began_at timestamptz(3),
  hour_attempts integer NOT NULL DEFAULT 0,
  created_by_type text CONSTRAINT webhook_endpoints_creator_known CHECK (created_by_type IN ('user', 'service_account')),
  created_by_id uuid,
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT webhook_endpoints_reason_given CHECK (is_enabled = (disabled_reason IS NULL) AND is_enabled = (disabled_at IS NULL))
);

CREATE INDEX webhook_endpoints_organization ON webhook_endpoints (organization_id, created_at, id) WHERE NOT is_deleted;
CREATE INDEX webhook_endpoints_due ON webhook_endpoints (next_due_at) WHERE is_enabled AND NOT is_deleted;
CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (failing_since) WHERE failing_since IS NOT NULL AND is_enabled AND NOT is_deleted;
CREATE INDEX webhook_endpoints_creator ON webhook_endpoints (created_by_id) WHERE created_by_type = 'service_account' AND NOT is_deleted;

CREATE TABLE webhook_deliveries (
  id uuid NOT NULL DEFAULT uuidv7(),
  endpoint_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_recorded_at timestamptz(3) NOT NULL,
  event_type text NOT NULL,
  sequence bigint NOT NULL,
  -- The event itself, if it is a test: test events are not in `events`.
  test_event jsonb,
  state text NOT NULL CONSTRAINT webhook_deliveries_state_known CHECK (state IN ('PENDING', 'SUCCEEDED', 'FAILED', 'DISCARDED')),
  attempt_count integer NOT NULL DEFAULT 0,
  -- The failed attempts of the schedule of retries. Resends do not count.
  failed_tries integer NOT NULL DEFAULT 0,
  -- Null if no attempt is to be made.
  next_attempt_at timestamptz(3),
  -- Whether the next attempt is a resend: one attempt without retries.
  is_resend boolean NOT NULL DEFAULT false,
  -- Until when an instance makes an attempt.
  leased_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at) INCLUDE (state) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (endpoint_id, event_id);

-- Counts the pending deliveries of each endpoint (0002_row_counts.sql), so that the relay and the list of endpoints need not count up to
-- 100,000 rows for each endpoint. Runs once for each statement, not for each row: disabling an endpoint ends up to 100,000 deliveries.
CREATE FUNCTION webhook_deliveries_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO row_count_deltas (list, owner, rows)
    SELECT 'pending_deliveries', endpoint_id, count(*) FROM added WHERE state = 'PENDING' AND next_attempt_at IS NOT NULL
    GROUP BY endpoint_id;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO row_count_deltas (list, owner, rows)
    SELECT 'pending_deliveries', endpoint_id, -count(*) FROM removed WHERE state = 'PENDING' AND next_attempt_at IS NOT NULL
    GROUP BY endpoint_id;
  ELSE
    INSERT INTO row_count_deltas (list, owner, rows)
    SELECT 'pending_deliveries', endpoint_id, sum(change)
    FROM (
      SELECT endpoint_id, 1 AS change FROM added WHERE state = 'PENDING' AND next_attempt_at IS NOT NULL
      UNION ALL
      SELECT endpoint_id, -1 FROM removed WHERE state = 'PENDING' AND next_attempt_at IS NOT NULL
    ) changes
    GROUP BY endpoint_id HAVING sum(change) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER webhook_deliveries_count_added AFTER INSERT ON webhook_deliveries
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION webhook_deliveries_count();
CREATE TRIGGER webhook_deliveries_count_changed AFTER UPDATE ON webhook_deliveries
REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION webhook_deliveries_count();
CREATE TRIGGER webhook_deliveries_count_removed AFTER DELETE ON webhook_deliveries
REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION webhook_deliveries_count();

CREATE TABLE webhook_attempts (
  delivery_id uuid NOT NULL,
  -- The time of the delivery, so that attempts are dropped together with it.
  delivery_created_at timestamptz(3) NOT NULL,
  number integer NOT NULL,
  started_at timestamptz(3) NOT NULL,
  duration_ms integer NOT NULL,
  status integer,
  error text CONSTRAINT webhook_attempts_error_known
    CHECK (error IN ('TIMEOUT', 'DNS_FAILED', 'CONNECTION_FAILED', 'TLS_FAILED', 'ADDRESS_NOT_ALLOWED')),
  response_excerpt text,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, number, delivery_created_at)
) PARTITION BY RANGE (delivery_created_at);

CREATE TABLE webhook_deliveries_rest PARTITION OF webhook_deliveries DEFAULT;
CREATE TABLE webhook_attempts_rest PARTITION OF webhook_attempts DEFAULT;

-- The first days of all tables by day, those of `events` included.
SELECT begin_event_days(7);
