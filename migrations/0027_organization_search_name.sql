-- What the organizations of a person are sorted by, worked out once instead of at each look.
ALTER TABLE organizations
  ADD COLUMN search_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_fold(name)) STORED;

DROP INDEX organizations_by_name;
CREATE INDEX organizations_by_name ON organizations (search_name, id) WHERE NOT is_deleted;
