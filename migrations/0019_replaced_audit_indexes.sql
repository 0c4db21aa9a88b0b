-- The indexes that 0018 replaced. Dropping them waits for readers, and writers wait behind: at most this long, then the migration is
-- repeated. The function stays, because a version that still runs searches with it.
SET LOCAL lock_timeout = '500ms';

DROP INDEX audit_events_search;

DROP INDEX audit_events_organization;
