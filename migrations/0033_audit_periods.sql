-- Events lie in partitions by time, so that old ones go by dropping a table instead of row by row. A partition holds a
-- period of months, at least one; the last one has no end, so that there is a place for every event, even if nothing has
-- begun a new period for long (docs/decisions/0023).

ALTER TABLE audit_events RENAME TO audit_events_first;
ALTER TABLE audit_events_first DROP CONSTRAINT audit_events_pkey;
ALTER TABLE audit_events_first ADD CONSTRAINT audit_events_first_pkey PRIMARY KEY USING INDEX audit_events_id_time;
ALTER INDEX audit_events_time RENAME TO audit_events_first_time;
ALTER INDEX audit_events_organization RENAME TO audit_events_first_organization;
ALTER INDEX audit_events_person RENAME TO audit_events_first_person;
ALTER INDEX audit_events_action RENAME TO audit_events_first_action;
ALTER INDEX audit_events_target RENAME TO audit_events_first_target;
ALTER INDEX audit_events_search RENAME TO audit_events_first_search;
ALTER INDEX audit_events_attempted RENAME TO audit_events_first_attempted;

CREATE TABLE audit_events (LIKE audit_events_first INCLUDING DEFAULTS, PRIMARY KEY (id, time)) PARTITION BY RANGE (time);
ALTER TABLE audit_events ADD CONSTRAINT audit_events_target_type_known CHECK (target_type IN
  ('user', 'invitation', 'organization', 'unit', 'role', 'ticket', 'session', 'subscription'));

CREATE INDEX audit_events_time ON audit_events (time DESC, id DESC);
CREATE INDEX audit_events_organization ON audit_events (organization_id, time DESC, id DESC)
  INCLUDE (actor_id, is_above_units, subject_user_id, subject_unit_ids);
CREATE INDEX audit_events_person ON audit_events (actor_id, time DESC, id DESC)
  INCLUDE (organization_id, is_above_units, subject_user_id, subject_unit_ids);
CREATE INDEX audit_events_action ON audit_events (action, organization_id, time DESC, id DESC);
CREATE INDEX audit_events_target ON audit_events (target_id, time DESC, id DESC) WHERE target_id IS NOT NULL;
CREATE INDEX audit_events_search ON audit_events USING gin (search_text_of_event(action, ip, request_id) gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536);
CREATE INDEX audit_events_attempted ON audit_events ((metadata ->> 'email'))
  WHERE action = 'LOGIN_FAILED' AND target_id IS NULL;

CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table();
-- Triggers by statement belong to the table that a statement names. Nothing adds to a partition by its name, but somebody
-- may want to change one, so that each keeps its own trigger against that.
DROP TRIGGER audit_events_count ON audit_events_first;
CREATE TRIGGER audit_events_count AFTER INSERT ON audit_events
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION audit_events_count();

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

-- The functions run as the owner of the table, whoever calls them: a role that may only read and add events can have
-- periods begun and, once they are old, dropped, and change nothing else.

-- Adds a last period, without an end.
CREATE FUNCTION add_last_audit_period(begins_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text := 'audit_events_' || to_char(begins_at AT TIME ZONE 'UTC', 'YYYY_MM');
  role text;
BEGIN
  EXECUTE format('CREATE TABLE %I PARTITION OF audit_events FOR VALUES FROM (%L) TO (MAXVALUE)', name, begins_at::text);
  EXECUTE format('CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table()', name);
  -- What default privileges gave: rows are read and added through the parent alone, where they are counted.
  FOR role IN
    SELECT DISTINCT given.grantee::regrole::text FROM pg_class c, aclexplode(c.relacl) AS given
    WHERE c.oid = name::regclass AND given.grantee NOT IN (c.relowner, 0)
  LOOP
    EXECUTE format('REVOKE ALL ON %I FROM %s', name, role);
  END LOOP;
END $$;

-- Gives the last period an end, and adds one after it, once it begins within a month. What is in it already is read under
-- the lock: nothing, unless this was not called for long. Returns the name of the period that has an end now, if any.
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
  -- Another process may have done it meanwhile.
  IF period.name <> (SELECT p.name FROM audit_periods p WHERE p.ends_at IS NULL) THEN RETURN NULL; END IF;
  ends_at := date_add(GREATEST(period.begins_at, date_trunc('month', now(), 'UTC')), make_interval(months => months), 'UTC');
  EXECUTE format('ALTER TABLE audit_events DETACH PARTITION %I', period.name);
  EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', period.name,
    period.begins_at::text, ends_at::text);
  PERFORM add_last_audit_period(ends_at);
  RETURN period.name;
END $$;

-- Drops a period that ended that many months ago, and takes its events from the totals. They are counted before, because
-- that may take long: nothing is added to a period that ended.
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

DO $$
DECLARE
  ends_at text := (SELECT substring(pg_get_constraintdef(oid), '''([^'']+)''') FROM pg_constraint
    WHERE conrelid = 'audit_events_first'::regclass AND conname = 'audit_events_first_period');
BEGIN
  EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION audit_events_first FOR VALUES FROM (MINVALUE) TO (%L)', ends_at);
  PERFORM add_last_audit_period(ends_at::timestamptz);
END $$;
ALTER TABLE audit_events_first DROP CONSTRAINT audit_events_first_period;
