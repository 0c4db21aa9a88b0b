-- no-transaction
-- What 0033 needs, without blocking anybody: an index that its key can take over, and proof that everything so far is of
-- the first period, so that the table becomes a part of another without being read under a lock.

ALTER TABLE audit_events DROP CONSTRAINT IF EXISTS audit_events_first_period;
DROP INDEX CONCURRENTLY IF EXISTS audit_events_id_time;
CREATE UNIQUE INDEX CONCURRENTLY audit_events_id_time ON audit_events (id, time);

-- The first period lasts a month at least from here, or events would be refused if 0033 came later than its end.
DO $$ BEGIN EXECUTE format('ALTER TABLE audit_events ADD CONSTRAINT audit_events_first_period CHECK (time < %L) NOT VALID', date_add(date_trunc('month', now(), 'UTC'), interval '2 months', 'UTC')::text); END $$;
ALTER TABLE audit_events VALIDATE CONSTRAINT audit_events_first_period;

-- The emails that sign-ins named without an account to be about: what is left of them when an account's traces go.
DROP INDEX CONCURRENTLY IF EXISTS audit_events_attempted;
CREATE INDEX CONCURRENTLY audit_events_attempted ON audit_events ((metadata ->> 'email'))
  WHERE action = 'LOGIN_FAILED' AND target_id IS NULL;
