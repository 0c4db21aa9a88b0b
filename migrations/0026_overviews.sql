-- What the overviews of organizations and helpdesks count and is not in other tables: on which days a member was active, when a todo
-- was completed, and how the status of a ticket changed.

-- The UTC days on which a member began or continued a session in an organization. Rows are deleted after 90 days.
CREATE TABLE member_activity (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  day date NOT NULL,
  CONSTRAINT member_activity_pkey PRIMARY KEY (organization_id, user_id, day)
);

CREATE INDEX member_activity_days ON member_activity (organization_id, day, user_id);
CREATE INDEX member_activity_age ON member_activity (day);

-- A trigger, so that sign-in, refresh and switch stay one statement each. All but the first token of a day find the row and write
-- nothing.
CREATE FUNCTION refresh_tokens_record_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO member_activity (organization_id, user_id, day)
  VALUES (NEW.organization_id, NEW.user_id, (NEW.created_at AT TIME ZONE 'UTC')::date)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER refresh_tokens_record_activity AFTER INSERT ON refresh_tokens
FOR EACH ROW WHEN (NEW.organization_id IS NOT NULL) EXECUTE FUNCTION refresh_tokens_record_activity();

INSERT INTO member_activity (organization_id, user_id, day)
SELECT DISTINCT organization_id, user_id, (created_at AT TIME ZONE 'UTC')::date FROM refresh_tokens
WHERE organization_id IS NOT NULL AND created_at > now() - interval '90 days';

-- Kept by a trigger, so that a server of the previous version sets it too.
ALTER TABLE todos ADD COLUMN completed_at timestamptz(3);

CREATE FUNCTION todos_set_completed_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.completed_at := CASE WHEN NEW.completed THEN COALESCE(NEW.completed_at, now()) END;
  RETURN NEW;
END $$;

CREATE TRIGGER todos_set_completed_at BEFORE INSERT OR UPDATE OF completed ON todos
FOR EACH ROW EXECUTE FUNCTION todos_set_completed_at();

UPDATE todos SET completed_at = updated_at WHERE completed;

CREATE INDEX todos_completed ON todos (organization_id, completed_at) INCLUDE (user_id)
  WHERE completed AND NOT is_deleted;

-- Changes of a ticket, for everybody who may read the ticket.
CREATE TABLE ticket_events (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  ticket_id uuid NOT NULL REFERENCES tickets (id),
  from_status text NOT NULL,
  to_status text NOT NULL,
  -- A user or a service account, so no foreign key.
  actor_id uuid,
  -- Null for the reporter.
  staff_scope text CONSTRAINT ticket_events_staff_scope CHECK (staff_scope IN ('PLATFORM', 'ORGANIZATION')),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX ticket_events_ticket ON ticket_events (ticket_id, created_at, id);
CREATE INDEX ticket_events_newest ON ticket_events (created_at);

INSERT INTO ticket_events (ticket_id, from_status, to_status, actor_id, staff_scope, created_at)
SELECT t.id, e.metadata ->> 'from', e.metadata ->> 'to', e.actor_id,
  CASE WHEN e.organization_id IS NULL THEN 'PLATFORM' ELSE 'ORGANIZATION' END, e.time
FROM audit_events e JOIN tickets t ON t.id = e.target_id
WHERE e.action = 'HELPDESK_TICKET_STATUS_CHANGED' AND e.metadata ? 'from' AND e.metadata ? 'to';

-- How much of a limit was used on earlier days is computed backwards from now: by rows that were added, and rows that ended.
CREATE INDEX memberships_ended ON memberships (organization_id, deleted_at) WHERE is_deleted;
CREATE INDEX todos_ended ON todos (organization_id, deleted_at) WHERE is_deleted;

-- Of an organization, those that took a seat lately.
CREATE INDEX user_invitations_recent ON user_invitations (organization_id, expires_at);
