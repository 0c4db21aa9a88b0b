-- Messages to one person, shown in the client. Text is rendered there from type and data.

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
