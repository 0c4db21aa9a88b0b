-- The number of rows in unfiltered lists, known without counting them. A change of a list adds a delta in its own transaction and
-- updates nothing, so that no writer waits for another; a job merges the deltas (sql/row-counts.sql). What a statement sees of both
-- tables is as exact in its snapshot as a count of the rows.

CREATE TABLE row_counts (
  list text NOT NULL CONSTRAINT row_counts_list_known CHECK (list IN ('audit_events', 'memberships', 'notifications',
    'organizations', 'reported_tickets', 'tickets', 'todos', 'unread_notifications', 'users')),
  -- An organization, or a person; null for all of the list.
  owner uuid,
  -- Whose, of an organization's todos; null for all of the owner's.
  part uuid,
  rows integer NOT NULL,
  CONSTRAINT row_counts_unique UNIQUE NULLS NOT DISTINCT (list, owner, part)
);

-- Without a key: a delta is summed, and never looked up. Rows stay for a minute, so they are vacuumed early.
-- Empty pages are kept: a plan that is made while there are none would read all later rows sequentially.
CREATE TABLE row_count_deltas (
  list text NOT NULL,
  owner uuid,
  part uuid,
  rows integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = off);

CREATE INDEX row_count_deltas_sums ON row_count_deltas (list, owner, part) INCLUDE (rows);

-- The rows of a list, an owner and a part are the sum of what has just these here, nulls included. A delta is part of each
-- whole above it; the planner leaves out those that are not asked for.
CREATE VIEW counted_rows AS
  SELECT list, owner, part, rows FROM row_counts
  UNION ALL
  SELECT list, owner, part, rows FROM row_count_deltas WHERE part IS NOT NULL
  UNION ALL
  SELECT list, owner, NULL, rows FROM row_count_deltas WHERE owner IS NOT NULL
  UNION ALL
  SELECT list, NULL, NULL, rows FROM row_count_deltas;

-- Counts the new events and queues them for sealing. One statement costs less than two.
CREATE FUNCTION audit_events_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH unsealed AS (
    INSERT INTO audit_unsealed (event_id, time, organization_id) SELECT id, time, organization_id FROM added
  )
  INSERT INTO row_count_deltas (list, owner, rows)
  SELECT 'audit_events', organization_id, count(*) FROM added GROUP BY organization_id;
  RETURN NULL;
END $$;

CREATE FUNCTION memberships_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO row_count_deltas (list, owner, rows)
    SELECT 'memberships', organization_id, count(*) FROM added WHERE NOT is_deleted GROUP BY organization_id;
    RETURN NULL;
  END IF;
  IF NOT OLD.is_deleted THEN
    INSERT INTO row_count_deltas (list, owner, rows) VALUES ('memberships', OLD.organization_id, -1);
  END IF;
  IF TG_OP = 'UPDATE' AND NOT NEW.is_deleted THEN
    INSERT INTO row_count_deltas (list, owner, rows) VALUES ('memberships', NEW.organization_id, 1);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION todos_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO row_count_deltas (list, owner, part, rows)
    SELECT 'todos', organization_id, user_id, count(*) FROM added WHERE NOT is_deleted GROUP BY organization_id, user_id;
    RETURN NULL;
  END IF;
  IF NOT OLD.is_deleted THEN
    INSERT INTO row_count_deltas (list, owner, part, rows) VALUES ('todos', OLD.organization_id, OLD.user_id, -1);
  END IF;
  IF TG_OP = 'UPDATE' AND NOT NEW.is_deleted THEN
    INSERT INTO row_count_deltas (list, owner, part, rows) VALUES ('todos', NEW.organization_id, NEW.user_id, 1);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION tickets_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO row_count_deltas (list, owner, rows)
    SELECT 'tickets', organization_id, count(*) FROM added WHERE NOT is_deleted GROUP BY organization_id
    UNION ALL
    SELECT 'reported_tickets', reporter_id, count(*) FROM added WHERE NOT is_deleted GROUP BY reporter_id;
    RETURN NULL;
  END IF;
  IF NOT OLD.is_deleted THEN
    INSERT INTO row_count_deltas (list, owner, rows)
    VALUES ('tickets', OLD.organization_id, -1), ('reported_tickets', OLD.reporter_id, -1);
  END IF;
  IF TG_OP = 'UPDATE' AND NOT NEW.is_deleted THEN
    INSERT INTO row_count_deltas (list, owner, rows)
    VALUES ('tickets', NEW.organization_id, 1), ('reported_tickets', NEW.reporter_id, 1);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION notifications_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO row_count_deltas (list, owner, rows)
    SELECT 'notifications', user_id, count(*) FROM added WHERE NOT is_deleted GROUP BY user_id
    UNION ALL
    SELECT 'unread_notifications', user_id, count(*) FROM added WHERE NOT is_deleted AND read_at IS NULL
    GROUP BY user_id;
    RETURN NULL;
  END IF;
  INSERT INTO row_count_deltas (list, owner, rows)
  SELECT list, user_id, sum(change)
  FROM (VALUES
    ('notifications', OLD.user_id, OLD.is_deleted, -1),
    ('unread_notifications', OLD.user_id, OLD.is_deleted OR OLD.read_at IS NOT NULL, -1),
    ('notifications', NEW.user_id, TG_OP = 'DELETE' OR NEW.is_deleted, 1),
    ('unread_notifications', NEW.user_id, TG_OP = 'DELETE' OR NEW.is_deleted OR NEW.read_at IS NOT NULL, 1)
  ) AS changes (list, user_id, is_left_out, change)
  WHERE NOT is_left_out
  GROUP BY list, user_id HAVING sum(change) <> 0;
  RETURN NULL;
END $$;

-- Of lists that nobody owns; the list is the table.
CREATE FUNCTION whole_table_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT OLD.is_deleted THEN
    INSERT INTO row_count_deltas (list, rows) VALUES (TG_TABLE_NAME, -1);
  END IF;
  IF TG_OP = 'UPDATE' AND NOT NEW.is_deleted THEN
    INSERT INTO row_count_deltas (list, rows) VALUES (TG_TABLE_NAME, 1);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION whole_table_count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (list, rows)
  SELECT TG_TABLE_NAME, count(*) FROM added WHERE NOT is_deleted HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_events_count AFTER INSERT ON audit_events
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION audit_events_count();
CREATE TRIGGER memberships_count_added AFTER INSERT ON memberships
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memberships_count();
CREATE TRIGGER memberships_count_changed AFTER DELETE OR UPDATE OF is_deleted, organization_id ON memberships
FOR EACH ROW EXECUTE FUNCTION memberships_count();
CREATE TRIGGER todos_count_added AFTER INSERT ON todos
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION todos_count();
CREATE TRIGGER todos_count_changed AFTER DELETE OR UPDATE OF is_deleted, organization_id, user_id ON todos
FOR EACH ROW EXECUTE FUNCTION todos_count();
CREATE TRIGGER tickets_count_added AFTER INSERT ON tickets
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tickets_count();
CREATE TRIGGER tickets_count_changed AFTER DELETE OR UPDATE OF is_deleted, organization_id, reporter_id ON tickets
FOR EACH ROW EXECUTE FUNCTION tickets_count();
CREATE TRIGGER notifications_count_added AFTER INSERT ON notifications
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION notifications_count();
CREATE TRIGGER notifications_count_changed AFTER DELETE OR UPDATE OF is_deleted, read_at, user_id ON notifications
FOR EACH ROW EXECUTE FUNCTION notifications_count();
CREATE TRIGGER users_count_added AFTER INSERT ON users
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION whole_table_count_added();
CREATE TRIGGER users_count_changed AFTER DELETE OR UPDATE OF is_deleted ON users
FOR EACH ROW EXECUTE FUNCTION whole_table_count();
CREATE TRIGGER organizations_count_added AFTER INSERT ON organizations
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION whole_table_count_added();
CREATE TRIGGER organizations_count_changed AFTER DELETE OR UPDATE OF is_deleted ON organizations
FOR EACH ROW EXECUTE FUNCTION whole_table_count();

-- Counts the rows that exist: none in a new database. Run it again to repair the totals (docs/operate/backup.md).
INSERT INTO row_counts (list, owner, part, rows)
SELECT list, owner, part, count(*)
FROM (
  SELECT 'audit_events' AS list, organization_id AS owner, NULL::uuid AS part FROM audit_events
  UNION ALL SELECT 'memberships', organization_id, NULL FROM memberships WHERE NOT is_deleted
  UNION ALL SELECT 'todos', organization_id, user_id FROM todos WHERE NOT is_deleted
  UNION ALL SELECT 'tickets', organization_id, NULL FROM tickets WHERE NOT is_deleted
  UNION ALL SELECT 'reported_tickets', reporter_id, NULL FROM tickets WHERE NOT is_deleted
  UNION ALL SELECT 'notifications', user_id, NULL FROM notifications WHERE NOT is_deleted
  UNION ALL SELECT 'unread_notifications', user_id, NULL FROM notifications WHERE NOT is_deleted AND read_at IS NULL
  UNION ALL SELECT 'users', NULL, NULL FROM users WHERE NOT is_deleted
  UNION ALL SELECT 'organizations', NULL, NULL FROM organizations WHERE NOT is_deleted
) counted
GROUP BY GROUPING SETS ((list, owner, part), (list, owner), (list))
HAVING (GROUPING(owner) = 1 OR owner IS NOT NULL) AND (GROUPING(part) = 1 OR part IS NOT NULL);
