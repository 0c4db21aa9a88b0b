-- The audit log: rows are only added. No foreign keys, because an event outlives the records that it names.
--
-- Events are in partitions by time, so that old ones are removed by dropping a table instead of row by row. A partition holds a period
-- of at least one month. The last partition has no end, so that every event has a place even if no period was begun for long
-- (docs/decisions/0023).

CREATE TABLE audit_events (
  id uuid NOT NULL DEFAULT uuidv7(),
  action text NOT NULL,
  -- Null for a user, and for events without an actor.
  actor_type text CONSTRAINT audit_events_actor_type_known CHECK (actor_type = 'service_account'),
  actor_id uuid,
  -- The key with which a service account authenticated.
  api_key_id uuid,
  -- A type that a feature declares.
  target_type text,
  target_id uuid,
  organization_id uuid,
  metadata jsonb NOT NULL DEFAULT '{}',
  ip text,
  request_id text,
  time timestamptz(3) NOT NULL DEFAULT now(),
  -- The subjects of the event are stored with it, so that a reader's scope is checked without looking anything up.
  -- The person: the target itself, or the reporter of the ticket.
  subject_user_id uuid,
  -- The units: the target itself, or all units that the invitation names.
  subject_unit_ids uuid[] NOT NULL DEFAULT '{}',
  -- Whether the event is about a role, the organization, or an invitation to the whole organization: then no unit shows it.
  is_above_units boolean NOT NULL DEFAULT false,
  -- The units of the invitation that the metadata mentions; null if it is for the whole organization, or none.
  mentioned_unit_ids uuid[],
  PRIMARY KEY (id, time)
) PARTITION BY RANGE (time);

CREATE INDEX audit_events_time ON audit_events (time DESC, id DESC);

-- Has the order of the list, the columns that decide who may read an event, and the columns that a search compares: lists, searches and
-- totals of an organization read the index only.
CREATE INDEX audit_events_searched ON audit_events (organization_id, time DESC, id DESC)
  INCLUDE (actor_id, is_above_units, subject_user_id, subject_unit_ids, action, ip, request_id);

-- Events by actor, with the columns that decide who may read an event. People act in few organizations, so one index serves all
-- organizations and one.
CREATE INDEX audit_events_person ON audit_events (actor_id, time DESC, id DESC)
  INCLUDE (organization_id, is_above_units, subject_user_id, subject_unit_ids);
CREATE INDEX audit_events_action ON audit_events (action, organization_id, time DESC, id DESC);
CREATE INDEX audit_events_target ON audit_events (target_id, time DESC, id DESC) WHERE target_id IS NOT NULL;

-- Returns the text that a search compares in an event, a line for each value. Actions are not part of it: there are few, and a search looks
-- for them by name. All of the text is ASCII, which the collation C folds quickly.
CREATE FUNCTION search_text_of_request(ip text, request_id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower((COALESCE(ip, '') || E'\n' || COALESCE(request_id, '')) COLLATE "C");

-- For rare words in organizations with very many events, and for the platform's list. A request that fills the pending list would move all
-- of it into the index, which takes hundreds of milliseconds. A job does that every minute (flush_search_indexes); the list has room for
-- about 50,000 events.
CREATE INDEX audit_events_search_requests ON audit_events USING gin (search_text_of_request(ip, request_id) gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536);

-- Sign-ins with an email that no account had: the email is replaced when the account that later had it gets a pseudonym.
CREATE INDEX audit_events_attempted ON audit_events ((metadata ->> 'email'))
  WHERE action = 'LOGIN_FAILED' AND target_id IS NULL;

-- Events are append-only, with one exception: the emails of a deleted account in the metadata become its pseudonym
-- (refuse_other_change_of_event). `service.pseudonymised` names the account.
CREATE FUNCTION refuse_change_of_append_only_table() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND COALESCE(current_setting('service.pseudonymised', true), '') <> ''
    AND COALESCE(pg_partition_root(TG_RELID), TG_RELID) = 'public.audit_events'::regclass THEN RETURN NULL; END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table();

-- The partitions, oldest first; null for no beginning and no end.
CREATE VIEW audit_periods AS
  SELECT c.relname::text AS name,
    (regexp_match(bounds, 'FROM \(''([^'']+)''\)'))[1]::timestamptz AS begins_at,
    (regexp_match(bounds, 'TO \(''([^'']+)''\)'))[1]::timestamptz AS ends_at
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  CROSS JOIN pg_get_expr(c.relpartbound, c.oid) AS bounds
  WHERE i.inhparent = 'audit_events'::regclass AND NOT i.inhdetachpending
  ORDER BY begins_at NULLS FIRST;

-- The functions for periods run as the owner of the table, for every caller: a role that may only read and add events can begin periods and
-- drop old ones, and change nothing else.

-- Adds a last period, without an end.
CREATE FUNCTION add_last_audit_period(begins_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text := 'audit_events_' || to_char(begins_at AT TIME ZONE 'UTC', 'YYYY_MM');
  role text;
BEGIN
  EXECUTE format('CREATE TABLE %I PARTITION OF audit_events FOR VALUES FROM (%L) TO (MAXVALUE)', name, begins_at::text);
  EXECUTE format('CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table()', name);
  -- Revokes default privileges, because rows are read and added only through the parent table, which counts them.
  FOR role IN
    SELECT DISTINCT given.grantee::regrole::text FROM pg_class c, aclexplode(c.relacl) AS given
    WHERE c.oid = name::regclass AND given.grantee NOT IN (c.relowner, 0)
  LOOP
    EXECUTE format('REVOKE ALL ON %I FROM %s', name, role);
  END LOOP;
END $$;

-- Gives the last period an end, and adds one after it, once the last one begins within a month. Its rows are read under the lock. There are
-- none, unless the function was not called for a long time. Returns the name of the period that now has an end, or null.
CREATE FUNCTION begin_audit_period(months integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  period record;
  ends_at timestamptz;
BEGIN
  IF months NOT BETWEEN 1 AND 120 THEN RAISE EXCEPTION 'A period has 1 to 120 months'; END IF;
  SELECT * INTO STRICT period FROM audit_periods p WHERE p.ends_at IS NULL;
  IF period.begins_at > now() + interval '1 month' THEN RETURN NULL; END IF;
  LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE;
  -- Another process may have ended the period before the lock was granted.
  IF period.name <> (SELECT p.name FROM audit_periods p WHERE p.ends_at IS NULL) THEN RETURN NULL; END IF;
  ends_at := date_add(GREATEST(period.begins_at, date_trunc('month', now(), 'UTC')), make_interval(months => months), 'UTC');
  EXECUTE format('ALTER TABLE audit_events DETACH PARTITION %I', period.name);
  EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', period.name,
    period.begins_at::text, ends_at::text);
  PERFORM add_last_audit_period(ends_at);
  RETURN period.name;
END $$;

-- Drops a period that ended so many months ago, and subtracts its events from the totals. The caller counts them beforehand, because
-- counting may take long, and no event is added to a period that has ended.
CREATE FUNCTION drop_audit_period(period text, months integer, owners uuid[], events integer[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
BEGIN
  IF months < 1 THEN RAISE EXCEPTION 'Events are kept for at least one month'; END IF;
  LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE;
  PERFORM FROM audit_periods p
  WHERE p.name = period AND p.ends_at <= date_subtract(now(), make_interval(months => months), 'UTC');
  IF NOT FOUND THEN RETURN false; END IF;
  EXECUTE format('DROP TABLE %I', period);
  INSERT INTO row_count_deltas (list, owner, rows)
  SELECT 'audit_events', dropped.owner, -dropped.rows FROM unnest(owners, events) AS dropped (owner, rows);
  RETURN true;
END $$;

-- The first period ends one to two months from now, and the last one follows.
DO $$
DECLARE
  ends_at timestamptz := date_add(date_trunc('month', now(), 'UTC'), interval '2 months', 'UTC');
BEGIN
  EXECUTE format('CREATE TABLE audit_events_first PARTITION OF audit_events FOR VALUES FROM (MINVALUE) TO (%L)', ends_at::text);
  CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events_first
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table();
  PERFORM add_last_audit_period(ends_at);
END $$;

-- The current actors of each unit: members and service accounts.
CREATE VIEW actors_of_units AS
SELECT unit_id, user_id AS actor_id FROM membership_units WHERE NOT is_deleted
UNION ALL
SELECT unit_id, service_account_id FROM service_account_assignments WHERE unit_id IS NOT NULL;

-- The current and former actors of each unit.
CREATE VIEW actors_of_units_ever AS
SELECT unit_id, user_id AS actor_id FROM membership_units
UNION ALL
SELECT unit_id, service_account_id FROM service_account_units;

-- Actors of an organization's events who never were its members when they acted: platform administrators.
CREATE TABLE audit_outside_actors (
  organization_id uuid NOT NULL,
  actor_id uuid NOT NULL,
  CONSTRAINT audit_outside_actors_pkey PRIMARY KEY (organization_id, actor_id)
);

-- The events of each organization, and the events without an organization, are sealed into a chain of batches. A batch has a digest over
-- its events and the batch before it: a saved digest shows whether an event was changed, removed, added or moved since
-- (docs/decisions/0024). Sealing does not change events, and no writer waits: an event is queued in its transaction, and a job
-- seals committed events.

-- Events that are not sealed yet. Without an index: the table is emptied every minute, and read as a whole.
CREATE TABLE audit_unsealed (
  event_id uuid NOT NULL,
  time timestamptz(3) NOT NULL,
  organization_id uuid
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The sealed batches of each chain.
CREATE TABLE audit_seals (
  -- The organization; the nil UUID for events without one.
  chain uuid NOT NULL,
  -- From 1, without a gap.
  number integer NOT NULL,
  -- The position of the batch's last event in the chain, from 1.
  position integer NOT NULL,
  sealed_at timestamptz(3) NOT NULL,
  -- Whether no other event was waiting. If so, events that are sealed later are newer, or were added with a time in the past.
  is_caught_up boolean NOT NULL,
  -- The times of the first and the last event, sorted by time and id.
  first_time timestamptz(3) NOT NULL,
  last_time timestamptz(3) NOT NULL,
  event_ids uuid[] NOT NULL,
  event_times timestamptz(3)[] NOT NULL,
  -- SHA-256 of each event, one after the other; zeros for an event that was already gone.
  event_digests bytea NOT NULL,
  -- SHA-256 of the columns above and of the digest of the batch before.
  digest bytea NOT NULL,
  CONSTRAINT audit_seals_pkey PRIMARY KEY (chain, number),
  CONSTRAINT audit_seals_complete CHECK (cardinality(event_ids) = cardinality(event_times)
    AND octet_length(event_digests) = 32 * cardinality(event_ids) AND octet_length(digest) = 32)
);

CREATE INDEX audit_seals_time ON audit_seals (chain, sealed_at);

CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table();

-- Counts new events (0002_row_counts.sql), queues them for sealing, and records actors who are not members. One statement for the first two
-- costs less than two. The scalar subquery is a look-up by key, where the planner might scan all memberships for NOT EXISTS.
CREATE FUNCTION audit_events_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH unsealed AS (
    INSERT INTO audit_unsealed (event_id, time, organization_id) SELECT id, time, organization_id FROM added
  )
  INSERT INTO row_count_deltas (list, owner, rows)
  SELECT 'audit_events', organization_id, count(*) FROM added GROUP BY organization_id;
  IF EXISTS (
    SELECT FROM added a
    WHERE a.organization_id IS NOT NULL AND a.actor_id IS NOT NULL AND a.actor_type IS NULL AND (
      SELECT m.id FROM memberships m WHERE m.organization_id = a.organization_id AND m.user_id = a.actor_id) IS NULL)
  THEN
    INSERT INTO audit_outside_actors (organization_id, actor_id)
    SELECT a.organization_id, a.actor_id FROM added a
    WHERE a.organization_id IS NOT NULL AND a.actor_id IS NOT NULL AND a.actor_type IS NULL AND NOT EXISTS (
      SELECT FROM memberships m WHERE m.organization_id = a.organization_id AND m.user_id = a.actor_id)
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_events_count AFTER INSERT ON audit_events
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION audit_events_count();
