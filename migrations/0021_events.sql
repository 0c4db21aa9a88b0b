-- Events that other systems read. A change writes its event to the outbox, in its own transaction. The relay numbers committed
-- events, without a gap in each organization, and moves them to `events`. No foreign keys: an event outlives what it names.

CREATE TABLE event_outbox (
  -- The order in which events were written. Events of one record are written in the order of their commits, because each change
  -- locks the record first.
  position bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT event_outbox_pkey PRIMARY KEY,
  -- The transaction: its events are numbered in a row.
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

-- The numbering of each organization. `epoch` changes when a backup is restored: cursors of another epoch are refused.
CREATE TABLE event_sequences (
  organization_id uuid CONSTRAINT event_sequences_pkey PRIMARY KEY,
  last_sequence bigint NOT NULL,
  oldest_kept bigint NOT NULL DEFAULT 1,
  epoch bigint NOT NULL DEFAULT extract(epoch FROM clock_timestamp())::bigint
);

-- The paths from the root of the tree to each of these units.
CREATE FUNCTION unit_paths(unit_ids uuid[]) RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE above AS (
    SELECT id::text AS path, parent_id FROM units WHERE id = ANY (unit_ids)
    UNION
    SELECT parent.id || '/' || above.path, parent.parent_id FROM above JOIN units parent ON parent.id = above.parent_id
  )
  SELECT COALESCE(array_agg(path), '{}') FROM above WHERE parent_id IS NULL
$$;

-- Whether a permission that is held in these units, and below them, reaches an event. Null: it is held in the whole organization.
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

-- The tables with a partition for each day, and what they are partitioned by.
CREATE FUNCTION tables_by_day() RETURNS text[] LANGUAGE sql IMMUTABLE RETURN ARRAY['events'];

-- Their partitions, oldest first. A day without its own partition is stored in the default one, `<table>_rest`.
CREATE VIEW event_days AS
  SELECT parent.relname::text AS parent, c.relname::text AS name, to_date(right(c.relname, 10), 'YYYY_MM_DD') AS day
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  JOIN pg_class parent ON parent.oid = i.inhparent
  WHERE parent.relname = ANY (tables_by_day()) AND c.relname ~ '_\d{4}_\d\d_\d\d$'
  ORDER BY day, parent.relname;

-- The functions run as the owner of the tables, for every caller: a role that owns nothing can have days begun and old ones dropped.

-- Creates the partitions of the next days.
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

-- Drops the days that ended so many days ago, and remembers the oldest number that is kept of each organization.
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

CREATE TABLE events_rest PARTITION OF events DEFAULT;
SELECT begin_event_days(7);

-- Replaces the email and the names of an account in the data of events, when the account gets its pseudonym.
CREATE FUNCTION pseudonymise_event_data(data jsonb, account users, pseudonym text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  result jsonb := with_pseudonym(data, account.email, pseudonym);
  names jsonb := '{"firstName": "Deleted", "lastName": "Account"}';
BEGIN
  IF result -> 'object' ->> 'userId' = account.id::text AND result -> 'object' ? 'firstName' THEN
    result := jsonb_set(result, '{object}', (result -> 'object') || names);
    IF result -> 'previous' ?| '{firstName,lastName}' THEN result := result - 'previous'; END IF;
  END IF;
  IF result -> 'object' -> 'reporter' ->> 'id' = account.id::text THEN
    result := jsonb_set(result, '{object,reporter}', (result -> 'object' -> 'reporter') || names);
    result := jsonb_set(result, '{object,subject}', to_jsonb(left(without_traces(result -> 'object' ->> 'subject', account.email,
      account.first_name, account.last_name, pseudonym), 200)));
  END IF;
  RETURN result;
END $$;

CREATE FUNCTION pseudonymise_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  organizations uuid[] := ARRAY(
    SELECT organization_id FROM memberships WHERE user_id = NEW.id
    UNION SELECT organization_id FROM user_invitations WHERE email = NEW.email
    UNION SELECT organization_id FROM tickets WHERE reporter_id = NEW.id AND organization_id IS NOT NULL);
BEGIN
  UPDATE events SET data = pseudonymise_event_data(data, OLD, NEW.email)
  WHERE organization_id = ANY (organizations) AND strpos(data::text, to_json(OLD.email)::text) > 0;
  UPDATE event_outbox SET data = pseudonymise_event_data(data, OLD, NEW.email)
  WHERE organization_id = ANY (organizations) AND strpos(data::text, to_json(OLD.email)::text) > 0;
  RETURN NULL;
END $$;

CREATE TRIGGER users_pseudonymise_events AFTER UPDATE OF pseudonymised_at ON users
FOR EACH ROW WHEN (OLD.pseudonymised_at IS NULL AND NEW.pseudonymised_at IS NOT NULL) EXECUTE FUNCTION pseudonymise_events();
