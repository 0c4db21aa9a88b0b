-- With what decides which events somebody in a unit may read, so that they are told from the index alone: those of the
-- whole organization in their order, and, for totals, those of each of its people.
CREATE INDEX audit_events_organization ON audit_events (organization_id, time DESC, id DESC)
  INCLUDE (actor_id, is_above_units, subject_user_id, subject_unit_ids);
DROP INDEX audit_events_organization_time;
CREATE INDEX audit_events_organization_person ON audit_events (organization_id, actor_id, time DESC, id DESC)
  INCLUDE (is_above_units, subject_user_id, subject_unit_ids);
DROP INDEX audit_events_organization_actor;
