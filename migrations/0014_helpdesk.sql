-- Tickets, their messages, images and changes of status, and the marker of the storage that holds the images.

CREATE TABLE tickets (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  number integer GENERATED ALWAYS AS IDENTITY CONSTRAINT tickets_number_unique UNIQUE,
  subject text NOT NULL,
  -- The subject as lists search it, maintained by a trigger.
  search_subject text NOT NULL DEFAULT '',
  category text NOT NULL
    CONSTRAINT tickets_category CHECK (category IN ('BUG', 'QUESTION', 'ACCOUNT', 'BILLING', 'FEATURE', 'OTHER')),
  status text NOT NULL DEFAULT 'OPEN'
    CONSTRAINT tickets_status CHECK (status IN ('OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED')),
  -- The organization in which the reporter acted. No foreign key: a ticket outlives its organization.
  organization_id uuid,
  reporter_id uuid NOT NULL REFERENCES users (id),
  page_path text,
  browser text,
  app_version text,
  -- The last activity that the reporter can see: internal notes do not count.
  last_activity_at timestamptz(3) NOT NULL DEFAULT now(),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Indexes include the columns of the filters, so that totals are counted from the index alone.
CREATE INDEX tickets_by_activity ON tickets (organization_id, last_activity_at, id)
  INCLUDE (reporter_id, status, category, number, search_subject) WHERE NOT is_deleted;
CREATE INDEX tickets_organization_newest ON tickets (organization_id, created_at, id) WHERE NOT is_deleted;
CREATE INDEX tickets_organization_number ON tickets (organization_id, number, id) WHERE NOT is_deleted;
CREATE INDEX tickets_reporter ON tickets (reporter_id, last_activity_at, id)
  INCLUDE (organization_id, status, category) WHERE NOT is_deleted;

-- For platform administrators, across organizations; also for rare words in organizations with very many tickets.
CREATE INDEX tickets_activity ON tickets (last_activity_at, id)
  INCLUDE (organization_id, reporter_id, status, category) WHERE NOT is_deleted;
CREATE INDEX tickets_newest ON tickets (created_at, id) WHERE NOT is_deleted;
CREATE INDEX tickets_search_subject ON tickets USING gin (search_subject gin_trgm_ops) WHERE NOT is_deleted;

CREATE FUNCTION tickets_fold_subject() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_subject := search_fold(NEW.subject);
  RETURN NEW;
END $$;

CREATE TRIGGER tickets_fold_subject BEFORE INSERT OR UPDATE OF subject ON tickets
FOR EACH ROW EXECUTE FUNCTION tickets_fold_subject();

-- Counts the tickets of each organization and of each reporter (0002_row_counts.sql).
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

CREATE TRIGGER tickets_count_added AFTER INSERT ON tickets
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tickets_count();
CREATE TRIGGER tickets_count_changed AFTER DELETE OR UPDATE OF is_deleted, organization_id, reporter_id ON tickets
FOR EACH ROW EXECUTE FUNCTION tickets_count();

CREATE TABLE ticket_messages (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  ticket_id uuid NOT NULL REFERENCES tickets (id),
  author_id uuid NOT NULL REFERENCES users (id),
  body text NOT NULL,
  -- Null if the author is the reporter.
  staff_scope text CONSTRAINT ticket_messages_staff_scope CHECK (staff_scope IN ('PLATFORM', 'ORGANIZATION')),
  as_staff boolean GENERATED ALWAYS AS (staff_scope IS NOT NULL) STORED,
  -- A note, which the reporter never sees.
  internal boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT ticket_messages_notes_are_of_staff CHECK (NOT internal OR staff_scope IS NOT NULL)
);

CREATE INDEX ticket_messages_ticket ON ticket_messages (ticket_id, created_at, id)
  INCLUDE (internal, staff_scope, author_id);

-- Images. The row is inserted before the object is stored: it reserves the quota and names the object. A row without a message after an
-- hour was left by a crash, and is deleted with its object.
CREATE TABLE ticket_attachments (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- No foreign key: the row of an image is older than the row of a new ticket.
  ticket_id uuid NOT NULL,
  -- Null while the object is being stored.
  message_id uuid REFERENCES ticket_messages (id),
  user_id uuid NOT NULL REFERENCES users (id),
  storage_key text NOT NULL CONSTRAINT ticket_attachments_storage_key_unique UNIQUE,
  position integer NOT NULL,
  file_name text NOT NULL,
  content_type text NOT NULL,
  -- In bytes, as stored.
  size integer NOT NULL,
  width integer NOT NULL,
  height integer NOT NULL,
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX ticket_attachments_message ON ticket_attachments (message_id, position) WHERE message_id IS NOT NULL;
CREATE INDEX ticket_attachments_ticket ON ticket_attachments (ticket_id);
CREATE INDEX ticket_attachments_quota ON ticket_attachments (user_id, created_at) INCLUDE (size);
CREATE INDEX ticket_attachments_pending ON ticket_attachments (created_at) WHERE message_id IS NULL;

-- Changes of status, for everybody who may read the ticket.
CREATE TABLE ticket_events (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  ticket_id uuid NOT NULL REFERENCES tickets (id),
  from_status text NOT NULL,
  to_status text NOT NULL,
  -- A user or a service account, so no foreign key.
  actor_id uuid,
  -- Null if the actor is the reporter.
  staff_scope text CONSTRAINT ticket_events_staff_scope CHECK (staff_scope IN ('PLATFORM', 'ORGANIZATION')),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX ticket_events_ticket ON ticket_events (ticket_id, created_at, id);
CREATE INDEX ticket_events_newest ON ticket_events (created_at);

-- One row for each mail to the reporter of a ticket, for the hourly limit of a ticket. Old rows are deleted daily.
CREATE TABLE ticket_mails (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  ticket_id uuid NOT NULL REFERENCES tickets (id),
  sent_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX ticket_mails_recent ON ticket_mails (ticket_id, sent_at);
CREATE INDEX ticket_mails_age ON ticket_mails (sent_at);

-- The id of an object in the storage that shows whether it is the storage of this database: an unmounted folder is empty
-- and writable, too. The first instance that finds `marked_at` null writes the object.
CREATE TABLE storage_marker (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  marked_at timestamptz
);

INSERT INTO storage_marker DEFAULT VALUES;
