-- no-transaction
-- A search of audit events reads index entries of the reader's organization, and finds actors among its people. Nothing here stops a
-- writer, and every statement may run again: an interrupted run is repeated as a whole. 0019 removes the replaced indexes.

-- What a search compares in an event, besides its action: there are few actions, so a search looks for them by name. A line each.
-- All of it is ASCII, which the collation C folds quickly.
CREATE OR REPLACE FUNCTION search_text_of_request(ip text, request_id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower((COALESCE(ip, '') || E'\n' || COALESCE(request_id, '')) COLLATE "C");

-- An interrupted concurrent build leaves an invalid index behind.
DO $$
DECLARE
  broken regclass;
BEGIN
  FOR broken IN
    SELECT i.indexrelid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE NOT i.indisvalid AND c.relkind = 'i' AND (c.relname LIKE 'audit\_events\_%\_searched' OR c.relname LIKE 'audit\_events\_%\_search\_requests'
      OR c.relname = 'memberships_former')
  LOOP
    EXECUTE format('DROP INDEX %s', broken);
  END LOOP;
END $$;

-- The order of the list, what decides who may read an event, and what a search compares: lists, searches and totals of an organization
-- need the index only.
CREATE INDEX IF NOT EXISTS audit_events_searched ON ONLY audit_events (organization_id, time DESC, id DESC)
  INCLUDE (actor_id, is_above_units, subject_user_id, subject_unit_ids, action, ip, request_id);
-- For each partition of audit_events:
CREATE INDEX CONCURRENTLY IF NOT EXISTS {partition}_searched ON {partition} (organization_id, time DESC, id DESC)
  INCLUDE (actor_id, is_above_units, subject_user_id, subject_unit_ids, action, ip, request_id);
-- For each partition of audit_events:
ALTER INDEX audit_events_searched ATTACH PARTITION {partition}_searched;

-- Rare words in organizations of very many events, and the platform's list. Without the action, which most searches for a word meant,
-- a word finds few entries. A job flushes the pending list (see audit_events_search).
CREATE INDEX IF NOT EXISTS audit_events_search_requests ON ONLY audit_events USING gin (search_text_of_request(ip, request_id) gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536);
-- For each partition of audit_events:
CREATE INDEX CONCURRENTLY IF NOT EXISTS {partition}_search_requests ON {partition} USING gin (search_text_of_request(ip, request_id) gin_trgm_ops)
  WITH (gin_pending_list_limit = 65536);
-- For each partition of audit_events:
ALTER INDEX audit_events_search_requests ATTACH PARTITION {partition}_search_requests;

-- Former members are found among few rows.
CREATE INDEX CONCURRENTLY IF NOT EXISTS memberships_former ON memberships (organization_id, user_id) INCLUDE (sort_email) WHERE is_deleted;

-- Actors of an organization's events who never were its members when they acted: platform administrators.
CREATE TABLE IF NOT EXISTS audit_outside_actors (
  organization_id uuid NOT NULL,
  actor_id uuid NOT NULL,
  CONSTRAINT audit_outside_actors_pkey PRIMARY KEY (organization_id, actor_id)
);

-- Roles that write events write this table from now on, by the trigger.
DO $$
DECLARE
  role text;
BEGIN
  FOR role IN
    SELECT DISTINCT given.grantee::regrole::text FROM pg_class c, aclexplode(c.relacl) AS given
    WHERE c.oid = 'audit_events'::regclass AND given.grantee NOT IN (c.relowner, 0)
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON audit_outside_actors TO %s', role);
  END LOOP;
END $$;

-- Counts the new events, queues them for sealing, and records actors who are no members. The subquery is a look-up by key, where the
-- planner might scan all memberships for NOT EXISTS.
CREATE OR REPLACE FUNCTION audit_events_count() RETURNS trigger LANGUAGE plpgsql AS $$
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

INSERT INTO audit_outside_actors (organization_id, actor_id)
SELECT DISTINCT e.organization_id, e.actor_id FROM audit_events e
WHERE e.organization_id IS NOT NULL AND e.actor_id IS NOT NULL AND e.actor_type IS NULL AND NOT EXISTS (
  SELECT FROM memberships m WHERE m.organization_id = e.organization_id AND m.user_id = e.actor_id)
ON CONFLICT DO NOTHING;

-- Statistics of the text in the new index: they tell the planner how rare a word is.
ANALYZE audit_events, audit_outside_actors;
