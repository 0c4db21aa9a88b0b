-- The events of each organization, and those of none, are sealed into a chain of batches, each with a digest over its events
-- and the batch before it: whoever saved a digest can tell whether an event was changed, removed, added or moved since
-- (docs/decisions/0024). Events are not touched by it, and writers wait for nobody: an event is queued in its transaction,
-- and a job seals what is committed.

-- No index: it is emptied every minute, and read as a whole.
CREATE TABLE audit_unsealed (
  event_id uuid NOT NULL,
  time timestamptz(3) NOT NULL,
  organization_id uuid
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE audit_seals (
  -- The organization; the nil UUID for events without one.
  chain uuid NOT NULL,
  -- From 1, without a gap.
  number integer NOT NULL,
  -- Of its last event, from 1.
  position integer NOT NULL,
  sealed_at timestamptz(3) NOT NULL,
  -- Whether nothing else was waiting: then whatever is sealed later is newer, or was added with a time in the past.
  is_caught_up boolean NOT NULL,
  -- Of its first and its last event, which are in the order of time and id.
  first_time timestamptz(3) NOT NULL,
  last_time timestamptz(3) NOT NULL,
  event_ids uuid[] NOT NULL,
  event_times timestamptz(3)[] NOT NULL,
  -- SHA-256 of each event, one after the other; zeros for one that was gone already.
  event_digests bytea NOT NULL,
  -- SHA-256 of all of this and of the digest of the batch before.
  digest bytea NOT NULL,
  CONSTRAINT audit_seals_pkey PRIMARY KEY (chain, number),
  CONSTRAINT audit_seals_complete CHECK (cardinality(event_ids) = cardinality(event_times)
    AND octet_length(event_digests) = 32 * cardinality(event_ids) AND octet_length(digest) = 32)
);
CREATE INDEX audit_seals_time ON audit_seals (chain, sealed_at);

CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table();

-- When this has the lock, every transaction that wrote by the function as it was has ended: what is in the table then, 0041
-- queues, and what comes later the function.
LOCK TABLE audit_events IN SHARE ROW EXCLUSIVE MODE;

-- In one statement, which costs less than two.
CREATE OR REPLACE FUNCTION audit_events_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH unsealed AS (
    INSERT INTO audit_unsealed (event_id, time, organization_id) SELECT id, time, organization_id FROM added
  )
  INSERT INTO row_count_deltas (list, owner, rows)
  SELECT 'audit_events', organization_id, count(*) FROM added GROUP BY organization_id;
  RETURN NULL;
END $$;

-- Whose email a pseudonym replaced, when an event that names it is checked.
CREATE INDEX retired_emails_user ON retired_emails (user_id);
