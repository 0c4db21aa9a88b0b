-- The number of pending deliveries of each webhook endpoint is maintained (migrations/0013_row_counts.sql), so that the relay and the list of
-- endpoints need not count up to 100,000 rows for each endpoint.

ALTER TABLE row_counts DROP CONSTRAINT row_counts_list_known, ADD CONSTRAINT row_counts_list_known CHECK (list IN ('audit_events',
  'memberships', 'notifications', 'organizations', 'pending_deliveries', 'reported_tickets', 'tickets', 'todos', 'unread_notifications',
  'users'));

-- Runs once for each statement, not for each row: disabling an endpoint ends up to 100,000 deliveries.
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

-- As before, but subtracts the pending deliveries of a dropped day from the totals.
CREATE OR REPLACE FUNCTION drop_event_days(days integer) RETURNS integer
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

-- Counts the deliveries that exist. Run it again to repair the totals (docs/operate/backup.md).
INSERT INTO row_counts (list, owner, rows)
SELECT 'pending_deliveries', endpoint_id, count(*) FROM webhook_deliveries WHERE state = 'PENDING' AND next_attempt_at IS NOT NULL
GROUP BY GROUPING SETS ((endpoint_id), ())
HAVING count(*) > 0;
