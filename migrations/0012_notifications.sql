-- Messages to one person. The client renders their text from type and data.

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

-- Serves the number of notifications of each type, and the list of a few types.
CREATE INDEX notifications_types ON notifications (user_id, type, created_at DESC, id DESC) WHERE NOT is_deleted;

-- Finds old notifications to delete. Rows are added in time order, so a BRIN index costs next to nothing.
CREATE INDEX notifications_created ON notifications USING brin (created_at);

-- Finds the notifications that name a person who joined, to pseudonymise them.
CREATE INDEX notifications_about_joiner ON notifications ((data ->> 'userId'))
  WHERE type = 'INVITATION_ACCEPTED';

-- Counts the notifications and the unread notifications of each user (0002_row_counts.sql).
CREATE FUNCTION notifications_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO row_count_deltas (list, owner, rows)
    SELECT 'notifications', user_id, count(*) FROM added WHERE NOT is_deleted GROUP BY user_id
    UNION ALL
    SELECT 'unread_notifications', user_id, count(*) FROM added WHERE NOT is_deleted AND read_at IS NULL
    GROUP BY user_id;
    RETURN NULL;
  END IF;
  INSERT INTO row_count_deltas (list, owner, rows)
  SELECT list, user_id, sum(change)
  FROM (VALUES
    ('notifications', OLD.user_id, OLD.is_deleted, -1),
    ('unread_notifications', OLD.user_id, OLD.is_deleted OR OLD.read_at IS NOT NULL, -1),
    ('notifications', NEW.user_id, TG_OP = 'DELETE' OR NEW.is_deleted, 1),
    ('unread_notifications', NEW.user_id, TG_OP = 'DELETE' OR NEW.is_deleted OR NEW.read_at IS NOT NULL, 1)
  ) AS changes (list, user_id, is_left_out, change)
  WHERE NOT is_left_out
  GROUP BY list, user_id HAVING sum(change) <> 0;
  RETURN NULL;
END $$;

CREATE TRIGGER notifications_count_added AFTER INSERT ON notifications
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION notifications_count();
CREATE TRIGGER notifications_count_changed AFTER DELETE OR UPDATE OF is_deleted, read_at, user_id ON notifications
FOR EACH ROW EXECUTE FUNCTION notifications_count();
