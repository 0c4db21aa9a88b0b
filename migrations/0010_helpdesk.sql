-- Tickets, their messages and images, and the mark of the storage that holds the images.

CREATE TABLE tickets (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  number integer GENERATED ALWAYS AS IDENTITY CONSTRAINT tickets_number_unique UNIQUE,
  subject text NOT NULL,
  category text NOT NULL
    CONSTRAINT tickets_category CHECK (category IN ('BUG', 'QUESTION', 'ACCOUNT', 'BILLING', 'FEATURE', 'OTHER')),
  status text NOT NULL DEFAULT 'OPEN'
    CONSTRAINT tickets_status CHECK (status IN ('OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED')),
  -- Where the reporter acted when it was sent. No foreign key: a ticket outlives its organization.
  organization_id uuid,
  reporter_id uuid NOT NULL REFERENCES users (id),
  page_path text,
  browser text,
  app_version text,
  -- Of what the reporter may read: notes do not count.
  last_activity_at timestamptz(3) NOT NULL DEFAULT now(),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- With what filters look at, so that totals are counted from the index alone.
CREATE INDEX tickets_organization ON tickets (organization_id, last_activity_at, id)
  INCLUDE (reporter_id, status, category) WHERE NOT is_deleted;
CREATE INDEX tickets_organization_newest ON tickets (organization_id, created_at, id) WHERE NOT is_deleted;
CREATE INDEX tickets_organization_number ON tickets (organization_id, number, id) WHERE NOT is_deleted;
CREATE INDEX tickets_reporter ON tickets (reporter_id, last_activity_at, id)
  INCLUDE (organization_id, status, category) WHERE NOT is_deleted;

-- For platform administrators, across organizations.
CREATE INDEX tickets_activity ON tickets (last_activity_at, id)
  INCLUDE (organization_id, reporter_id, status, category) WHERE NOT is_deleted;
CREATE INDEX tickets_newest ON tickets (created_at, id) WHERE NOT is_deleted;
CREATE INDEX tickets_search ON tickets USING gin (search_fold(subject) gin_trgm_ops) WHERE NOT is_deleted;

CREATE TABLE ticket_messages (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  ticket_id uuid NOT NULL REFERENCES tickets (id),
  author_id uuid NOT NULL REFERENCES users (id),
  body text NOT NULL,
  -- Null on the reporter's own.
  staff_scope text CONSTRAINT ticket_messages_staff_scope CHECK (staff_scope IN ('PLATFORM', 'ORGANIZATION')),
  as_staff boolean GENERATED ALWAYS AS (staff_scope IS NOT NULL) STORED,
  -- A note, which the reporter never sees.
  internal boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT ticket_messages_notes_are_of_staff CHECK (NOT internal OR staff_scope IS NOT NULL)
);

CREATE INDEX ticket_messages_ticket ON ticket_messages (ticket_id, created_at, id)
  INCLUDE (internal, staff_scope, author_id);

-- An image. Its row comes first: it reserves the quota and names the object in the storage. What gets no message
-- within the hour was left by a crash, and is swept.
CREATE TABLE ticket_attachments (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- No foreign key: that of a new ticket is named before it exists.
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

-- Each mail that went out to the reporter of a ticket, for the hourly limit of a ticket. Cleaned daily.
CREATE TABLE ticket_mails (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  ticket_id uuid NOT NULL REFERENCES tickets (id),
  sent_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX ticket_mails_recent ON ticket_mails (ticket_id, sent_at);
CREATE INDEX ticket_mails_age ON ticket_mails (sent_at);

-- The id of an object in the storage that tells whether it is the storage of this database: an unmounted folder is empty
-- and can be written, too. The first instance that finds `marked_at` null writes the object.
CREATE TABLE storage_marker (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  marked_at timestamptz
);

INSERT INTO storage_marker DEFAULT VALUES;
