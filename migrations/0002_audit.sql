-- What happened, for good: rows are only ever added. No foreign keys, because an event outlives what it names.

CREATE TABLE audit_events (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  action text NOT NULL,
  actor_id uuid,
  target_type text CONSTRAINT audit_events_target_type_known CHECK (target_type IN
    ('user', 'invitation', 'organization', 'unit', 'role', 'ticket', 'session', 'subscription')),
  target_id uuid,
  organization_id uuid,
  metadata jsonb NOT NULL DEFAULT '{}',
  ip text,
  request_id text,
  time timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX audit_events_time ON audit_events (time DESC, id DESC);
CREATE INDEX audit_events_organization_time ON audit_events (organization_id, time DESC, id DESC);
CREATE INDEX audit_events_actor ON audit_events (actor_id, time DESC, id DESC);

CREATE FUNCTION refuse_change_of_append_only_table() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table();
