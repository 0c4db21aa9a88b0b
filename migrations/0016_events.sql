-- Events that other systems read. A change writes its event to the outbox, in its own transaction. The relay numbers committed
-- events, without a gap in each organization, and moves them to `events`. No foreign keys: an event outlives the records that it names.

CREATE TABLE event_outbox (
  -- The order in which events were written. Events of one record are written in the order of their commits, because each change
  -- locks the record first.
  position bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT event_outbox_pkey PRIMARY KEY,
  -- The events of a transaction get consecutive numbers.
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  id uuid NOT NULL DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  type text NOT NULL,
  object_id uuid NOT NULL,
  data jsonb NOT NULL,
  actor_type text CONSTRAINT event_outbox_actor_type_known CHECK (actor_type IN ('user', 'service_account')),
  actor_id uuid,
  request_id text,
  occurred_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- Which unit administrators may read the event: those who reach one of the paths, all of them, or none.
  reach_match text NOT NULL CONSTRAINT event_outbox_reach_known CHECK (reach_match IN ('any', 'all', 'none')),
  -- The units of the record at that time, before and after the change. Each is a path of unit ids from the root, separated by slashes.
  reach_paths text[] NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- In partitions by day, so that old events are removed by dropping a table.
CREATE TABLE events (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  sequence bigint NOT NULL,
  type text NOT NULL,
  object_id uuid NOT NULL,
  data jsonb NOT NULL,
  actor_type text,
  actor_id uuid,
  request_id text,
  occurred_at timestamptz(3) NOT NULL,
  recorded_at timestamptz(3) NOT NULL,
  reach_match text NOT NULL,
  reach_paths text[] NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (id, recorded_at)
) PARTITION BY RANGE (recorded_at);

CREATE INDEX events_sequence ON events (organization_id, sequence);
CREATE INDEX events_object ON events (organization_id, object_id, sequence);

CREATE TABLE events_rest PARTITION OF events DEFAULT;

-- The numbering of each organization. `epoch` changes when a backup is restored: cursors of another epoch are refused.
CREATE TABLE event_sequences (
  organization_id uuid CONSTRAINT event_sequences_pkey PRIMARY KEY,
  last_sequence bigint NOT NULL,
  oldest_kept bigint NOT NULL DEFAULT 1,
  epoch bigint NOT NULL DEFAULT extract(epoch FROM clock_timestamp())::bigint
);

-- Whether a permission that is held in these units, and below them, reaches an event. `roots` is null if it is held in the whole organization.
CREATE FUNCTION event_is_reached(reach_match text, reach_paths text[], roots uuid[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN roots IS NULL THEN true
    WHEN reach_match = 'any' THEN EXISTS (
      SELECT FROM unnest(reach_paths) path WHERE string_to_array(path, '/')::uuid[] && roots)
    WHEN reach_match = 'all' THEN cardinality(reach_paths) > 0 AND NOT EXISTS (
      SELECT FROM unnest(reach_paths) path WHERE NOT string_to_array(path, '/')::uuid[] && roots)
    ELSE false
  END
$$;

-- The tables with a partition for each day (0017_webhooks.sql has the others).
CREATE FUNCTION tables_by_day() RETURNS text[] LANGUAGE sql IMMUTABLE
RETURN ARRAY['events', 'webhook_deliveries', 'webhook_attempts'];

-- Their partitions, oldest first. A day without its own partition is stored in the default one, `<table>_rest`.
CREATE VIEW event_days AS
  SELECT parent.relname::text AS parent, c.relname::text AS name, to_date(right(c.relname, 10), 'YYYY_MM_DD') AS day
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  JOIN pg_class parent ON parent.oid = i.inhparent
  WHERE parent.relname = ANY (tables_by_day()) AND c.relname ~ '_\d{4}_\d\d_\d\d$'
  ORDER BY day, parent.relname;

-- The functions for days run as the owner of the tables, for every caller: a role that owns nothing can begin days and drop old ones.

-- Creates the partitions of the next days, and returns how many.
CREATE FUNCTION begin_event_days(ahead integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  parent text;
  day date;
  begun integer := 0;
BEGIN
  IF ahead NOT BETWEEN 0 AND 31 THEN RAISE EXCEPTION 'At most 31 days are created ahead'; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('event days', 0));
  FOREACH parent IN ARRAY tables_by_day() LOOP
    FOR day IN SELECT generate_series((now() AT TIME ZONE 'UTC')::date, (now() AT TIME ZONE 'UTC')::date + ahead, '1 day') LOOP
      IF to_regclass(parent || '_' || to_char(day, 'YYYY_MM_DD')) IS NOT NULL THEN CONTINUE; END IF;
      BEGIN
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', parent || '_' || to_char(day, 'YYYY_MM_DD'),
          parent, day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
        begun := begun + 1;
      EXCEPTION WHEN check_violation THEN
        -- Rows of this day are in the default partition already, and stay there.
        RAISE NOTICE 'Rows of % are in the default partition of %', day, parent;
      END;
    END LOOP;
  END LOOP;
  RETURN begun;
END $$;

-- Drops the days that ended so many days ago, stores the oldest number that is kept of each organization, and subtracts the pending
-- deliveries of a dropped day from the totals. Returns how many days it dropped.
CREATE FUNCTION drop_event_days(days integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  old record;
  limit_day date := (now() AT TIME ZONE 'UTC')::date - days;
  dropped integer := 0;
BEGIN
  IF days < 4 THEN RAISE EXCEPTION 'Events are kept for at least four days'; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('event days', 0));
  FOR old IN SELECT * FROM event_days WHERE day < limit_day LOOP
    IF old.parent = 'events' THEN
      EXECUTE format('UPDATE event_sequences s SET oldest_kept = GREATEST(s.oldest_kept, gone.last + 1)
        FROM (SELECT organization_id, max(sequence) AS last FROM %I GROUP BY organization_id) gone
        WHERE s.organization_id = gone.organization_id', old.name);
    ELSIF old.parent = 'webhook_deliveries' THEN
      EXECUTE format('LOCK TABLE %I', old.name);
      EXECUTE format('INSERT INTO row_count_deltas (list, owner, rows)
        SELECT ''pending_deliveries'', endpoint_id, -count(*) FROM %I
        WHERE state = ''PENDING'' AND next_attempt_at IS NOT NULL GROUP BY endpoint_id', old.name);
    END IF;
    EXECUTE format('DROP TABLE %I', old.name);
    dropped := dropped + 1;
  END LOOP;
  WITH gone AS (DELETE FROM events_rest WHERE recorded_at < limit_day AT TIME ZONE 'UTC' RETURNING organization_id, sequence)
  UPDATE event_sequences s SET oldest_kept = GREATEST(s.oldest_kept, counted.last + 1)
  FROM (SELECT organization_id, max(sequence) AS last FROM gone GROUP BY organization_id) counted
  WHERE s.organization_id = counted.organization_id;
  RETURN dropped;
END $$;
