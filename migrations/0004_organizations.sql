-- Organizations, their roles, and their trees of units.

CREATE TYPE organization_status AS ENUM ('ACTIVE', 'SUSPENDED');

-- Named at registration, founded later by a signed-in person, or made by a platform administrator.
CREATE TYPE organization_origin AS ENUM ('REGISTRATION', 'SELF_SERVICE', 'PLATFORM');

CREATE TABLE roles (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Null for the built-in ones, which `bun run migrate` keeps as src/core/access/catalog.ts has them.
  organization_id uuid,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  permissions text[] NOT NULL,
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX roles_name_unique ON roles (organization_id, case_folded(name)) NULLS NOT DISTINCT
  WHERE NOT is_deleted;

CREATE TABLE organizations (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  -- A deleted organization keeps its slug.
  slug text COLLATE "C" NOT NULL CONSTRAINT organizations_slug_unique UNIQUE,
  status organization_status NOT NULL DEFAULT 'ACTIVE',
  -- Null: the platform's.
  default_role_id uuid REFERENCES roles (id),
  origin organization_origin NOT NULL DEFAULT 'PLATFORM',
  -- Null for those that a platform administrator made.
  founded_by_id uuid REFERENCES users (id),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Stored, because lists of organizations are sorted by it.
  search_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_fold(name)) STORED,
  CONSTRAINT organizations_slug_form CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) BETWEEN 2 AND 63)
);

CREATE INDEX organizations_newest ON organizations (created_at, id) WHERE NOT is_deleted;
CREATE INDEX organizations_search ON organizations USING gin (search_fold(name || E'\n' || slug) gin_trgm_ops)
  WHERE NOT is_deleted;
CREATE INDEX organizations_founder ON organizations (founded_by_id, created_at) WHERE founded_by_id IS NOT NULL;
CREATE INDEX organizations_default_role ON organizations (default_role_id) WHERE default_role_id IS NOT NULL;
CREATE INDEX organizations_by_name ON organizations (search_name, id) WHERE NOT is_deleted;

ALTER TABLE roles ADD CONSTRAINT roles_organization FOREIGN KEY (organization_id) REFERENCES organizations (id);

ALTER TABLE users
  ADD CONSTRAINT users_last_organization FOREIGN KEY (last_organization_id) REFERENCES organizations (id);

CREATE FUNCTION refuse_other_organization() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'A role stays in its organization' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME; END $$;

CREATE TRIGGER roles_stay_in_organization BEFORE UPDATE OF organization_id ON roles
FOR EACH ROW WHEN (OLD.organization_id IS DISTINCT FROM NEW.organization_id) EXECUTE FUNCTION refuse_other_organization();

CREATE TABLE units (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  parent_id uuid,
  name text NOT NULL,
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The name as lists sort and search it. Stored, because trees are listed whole.
  search_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_fold(name)) STORED,
  CONSTRAINT units_not_own_parent CHECK (parent_id <> id)
);

CREATE INDEX units_organization ON units (organization_id) WHERE NOT is_deleted;

-- Deleted ones too: the audit log reaches them.
CREATE INDEX units_parent ON units (parent_id);

-- Sub-units, assignments and unit memberships refer to this key, so that they belong to the organization of their unit.
CREATE UNIQUE INDEX units_of_organization ON units (organization_id, id);

ALTER TABLE units ADD CONSTRAINT units_parent_of_organization
  FOREIGN KEY (organization_id, parent_id) REFERENCES units (organization_id, id);

-- These units and every live one below them. Used in FROM, where the planner inlines it.
CREATE FUNCTION unit_subtree(roots uuid[]) RETURNS TABLE (unit_id uuid, parent_id uuid)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE tree AS (
    SELECT u.id, u.parent_id FROM units u WHERE u.id = ANY (roots) AND NOT u.is_deleted
    UNION
    SELECT child.id, child.parent_id FROM units child JOIN tree ON child.parent_id = tree.id
    WHERE NOT child.is_deleted
  )
  SELECT tree.id, tree.parent_id FROM tree
$$;

-- Each of these units with itself and every unit above it.
CREATE FUNCTION unit_ancestors(leaves uuid[]) RETURNS TABLE (unit_id uuid, ancestor_id uuid)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE path AS (
    SELECT u.id AS unit_id, u.id AS ancestor_id, u.parent_id FROM units u WHERE u.id = ANY (leaves)
    UNION
    SELECT path.unit_id, above.id, above.parent_id FROM units above JOIN path ON above.id = path.parent_id
  )
  SELECT path.unit_id, path.ancestor_id FROM path
$$;

-- These units and everything that is or ever was below them.
CREATE FUNCTION unit_subtree_ever(roots uuid[]) RETURNS TABLE (unit_id uuid)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE tree AS (
    SELECT u.id FROM units u WHERE u.id = ANY (roots)
    UNION
    SELECT child.id FROM units child JOIN tree ON child.parent_id = tree.id
  )
  SELECT tree.id FROM tree
$$;
