-- What a person did, anywhere and in one organization, newest first, and totals of it from the index alone. One index for
-- both: people act in few organizations, so those of others that are skipped are few, and each index is written to at
-- every event.
CREATE INDEX audit_events_person ON audit_events (actor_id, time DESC, id DESC)
  INCLUDE (organization_id, is_above_units, subject_user_id, subject_unit_ids);
DROP INDEX audit_events_actor;
DROP INDEX audit_events_organization_person;

-- Whoever fills the pending list of this index puts all of it in its place, which takes a request hundreds of milliseconds.
-- A job does that every minute (src/app/upkeep.ts), and is in time for some 50,000 events.
ALTER INDEX audit_events_search SET (gin_pending_list_limit = 65536);

-- Deltas go, but not their pages: a plan that is made while there are none would read all that come later from end to end.
ALTER TABLE row_count_deltas SET (vacuum_truncate = off);
