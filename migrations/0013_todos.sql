-- The sample resource: owned by a member, in reach of others through the owner's units.

CREATE TABLE todos (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  user_id uuid NOT NULL REFERENCES users (id),
  title text NOT NULL,
  -- The title as lists sort and search it, maintained by a trigger: an index on it lists, searches and counts the rows of an organization
  -- without reading the table.
  search_title text COLLATE "C" NOT NULL DEFAULT '',
  completed boolean NOT NULL DEFAULT false,
  -- Maintained by a trigger.
  completed_at timestamptz(3),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Indexes include the columns of the filters, so that totals are counted from the index alone.
CREATE INDEX todos_organization ON todos (organization_id, created_at, id) INCLUDE (user_id, completed)
  WHERE NOT is_deleted;
CREATE INDEX todos_title_order ON todos (organization_id, search_title COLLATE natural_order, id)
  INCLUDE (user_id, completed) WHERE NOT is_deleted;
CREATE INDEX todos_owner ON todos (user_id, organization_id, created_at, id) INCLUDE (completed) WHERE NOT is_deleted;

-- For platform administrators, across organizations; also for rare words in organizations with very many todos.
CREATE INDEX todos_newest ON todos (created_at, id) INCLUDE (organization_id, user_id, completed) WHERE NOT is_deleted;
CREATE INDEX todos_search_title ON todos USING gin (search_title COLLATE "default" gin_trgm_ops) WHERE NOT is_deleted;

-- For the overview. The usage of the limit on earlier days is computed backwards from now, by todos that were added and that were deleted.
CREATE INDEX todos_completed ON todos (organization_id, completed_at) INCLUDE (user_id)
  WHERE completed AND NOT is_deleted;
CREATE INDEX todos_ended ON todos (organization_id, deleted_at) WHERE is_deleted;

CREATE FUNCTION todos_fold_title() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_title := search_fold(NEW.title);
  RETURN NEW;
END $$;

CREATE TRIGGER todos_fold_title BEFORE INSERT OR UPDATE OF title ON todos
FOR EACH ROW EXECUTE FUNCTION todos_fold_title();

CREATE FUNCTION todos_set_completed_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.completed_at := CASE WHEN NEW.completed THEN COALESCE(NEW.completed_at, now()) END;
  RETURN NEW;
END $$;

CREATE TRIGGER todos_set_completed_at BEFORE INSERT OR UPDATE OF completed ON todos
FOR EACH ROW EXECUTE FUNCTION todos_set_completed_at();

-- Counts the todos of each organization and of each of its members (0002_row_counts.sql).
CREATE FUNCTION todos_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO row_count_deltas (list, owner, part, rows)
    SELECT 'todos', organization_id, user_id, count(*) FROM added WHERE NOT is_deleted GROUP BY organization_id, user_id;
    RETURN NULL;
  END IF;
  IF NOT OLD.is_deleted THEN
    INSERT INTO row_count_deltas (list, owner, part, rows) VALUES ('todos', OLD.organization_id, OLD.user_id, -1);
  END IF;
  IF TG_OP = 'UPDATE' AND NOT NEW.is_deleted THEN
    INSERT INTO row_count_deltas (list, owner, part, rows) VALUES ('todos', NEW.organization_id, NEW.user_id, 1);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER todos_count_added AFTER INSERT ON todos
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION todos_count();
CREATE TRIGGER todos_count_changed AFTER DELETE OR UPDATE OF is_deleted, organization_id, user_id ON todos
FOR EACH ROW EXECUTE FUNCTION todos_count();
