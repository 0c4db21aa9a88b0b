-- Messages to one person, shown in the client, which renders the text from type and data.

CREATE TABLE notifications (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  type text NOT NULL,
  data jsonb NOT NULL DEFAULT '{}',
  read_at timestamptz(3),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX notifications_user ON notifications (user_id, created_at DESC, id DESC) WHERE NOT is_deleted;
CREATE INDEX notifications_unread ON notifications (user_id) WHERE read_at IS NULL AND NOT is_deleted;

-- Which types somebody has notifications of, how many of each, and those of a few types in their order.
CREATE INDEX notifications_types ON notifications (user_id, type, created_at DESC, id DESC) WHERE NOT is_deleted;

-- For the deletion of old notifications. Rows are added in time order, so a BRIN index costs next to nothing.
CREATE INDEX notifications_created ON notifications USING brin (created_at);

-- Notifications that name somebody who joined.
CREATE INDEX notifications_about_joiner ON notifications ((data ->> 'userId'))
  WHERE type = 'INVITATION_ACCEPTED';
