-- The sample resource: owned by a member, in reach of others through the owner's units.

CREATE TABLE todos (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  user_id uuid NOT NULL REFERENCES users (id),
  title text NOT NULL,
  completed boolean NOT NULL DEFAULT false,
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- With what filters look at, so that totals are counted from the index alone.
CREATE INDEX todos_organization ON todos (organization_id, created_at, id) INCLUDE (user_id, completed)
  WHERE NOT is_deleted;
CREATE INDEX todos_organization_by_title ON todos (organization_id, (search_fold(title) COLLATE "C"), id)
  INCLUDE (user_id, completed) WHERE NOT is_deleted;
CREATE INDEX todos_owner ON todos (user_id, organization_id, created_at, id) INCLUDE (completed) WHERE NOT is_deleted;

-- For platform administrators, across organizations.
CREATE INDEX todos_newest ON todos (created_at, id) INCLUDE (organization_id, user_id, completed) WHERE NOT is_deleted;
CREATE INDEX todos_search ON todos USING gin (search_fold(title) gin_trgm_ops) WHERE NOT is_deleted;
