-- Organizations, their roles, and their trees of units.

CREATE TYPE organization_status AS ENUM ('ACTIVE', 'SUSPENDED');

-- How an organization was created: with the registration of its founder, later by a signed-in user, or by a platform administrator.
CREATE TYPE organization_origin AS ENUM ('REGISTRATION', 'SELF_SERVICE', 'PLATFORM');

CREATE TABLE roles (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Null for built-in roles, which `bun run migrate` synchronizes with src/core/access/catalog.ts.
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
  -- The name as lists sort and search it. Stored, because lists of organizations are sorted by it.
  search_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_fold(name)) STORED,
  -- A deleted organization keeps its slug.
  slug text COLLATE "C" NOT NULL CONSTRAINT organizations_slug_unique UNIQUE,
  status organization_status NOT NULL DEFAULT 'ACTIVE',
  -- Null: the default role of the platform.
  default_role_id uuid REFERENCES roles (id),
  origin organization_origin NOT NULL DEFAULT 'PLATFORM',
  -- Null if a platform administrator created it.
  founded_by_id uuid REFERENCES users (id),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT organizations_slug_form CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) BETWEEN 2 AND 63)
);

CREATE INDEX organizations_newest ON organizations (created_at, id) WHERE NOT is_deleted;
CREATE INDEX organizations_name_order ON organizations (search_name COLLATE natural_order, id) WHERE NOT is_deleted;
CREATE INDEX organizations_search ON organizations USING gin (search_fold(name || E'\n' || slug) gin_trgm_ops)
  WHERE NOT is_deleted;
CREATE INDEX organizations_founder ON organizations (founded_by_id, created_at) WHERE founded_by_id IS NOT NULL;
CREATE INDEX organizations_default_role ON organizations (default_role_id) WHERE default_role_id IS NOT NULL;

CREATE TRIGGER organizations_count_added AFTER INSERT ON organizations
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION whole_table_count_added();
CREATE TRIGGER organizations_count_changed AFTER DELETE OR UPDATE OF is_deleted ON organizations
FOR EACH ROW EXECUTE FUNCTION whole_table_count();

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
  -- The name as lists sort and search it. Stored, because trees are listed whole.
  search_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (search_fold(name)) STORED,
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT units_not_own_parent CHECK (parent_id <> id)
);

CREATE INDEX units_organization ON units (organization_id) WHERE NOT is_deleted;

-- Includes deleted units, whose events the audit log finds.
CREATE INDEX units_parent ON units (parent_id);

-- Sub-units, assignments and unit memberships refer to this key, so that they belong to the organization of their unit.
CREATE UNIQUE INDEX units_of_organization ON units (organization_id, id);

ALTER TABLE units ADD CONSTRAINT units_parent_of_organization
  FOREIGN KEY (organization_id, parent_id) REFERENCES units (organization_id, id);

-- Returns these units and every live unit below them. Used in FROM, where the planner inlines it.
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

-- Returns each of these units with itself and every unit above it.
CREATE FUNCTION unit_ancestors(leaves uuid[]) RETURNS TABLE (unit_id uuid, ancestor_id uuid)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE path AS (
    SELECT u.id AS unit_id, u.id AS ancestor_id, u.parent_id FROM units u WHERE u.id = ANY (leaves)
    UNION
    SELECT path.unit_id, above.id, above.parent_id FROM units above JOIN path ON above.id = path.parent_id
  )
  SELECT path.unit_id, path.ancestor_id FROM path
$$;

-- Returns these units and every unit below them, deleted ones included.
CREATE FUNCTION unit_subtree_ever(roots uuid[]) RETURNS TABLE (unit_id uuid)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE tree AS (
    SELECT u.id FROM units u WHERE u.id = ANY (roots)
    UNION
    SELECT child.id FROM units child JOIN tree ON child.parent_id = tree.id
  )
  SELECT tree.id FROM tree
$$;

-- Returns the paths from the root of the tree to each of these units, as unit ids separated by slashes. PL/pgSQL caches the plans of the
-- look-ups; a recursive query would be planned again for each event of a record with units.
CREATE FUNCTION unit_paths(unit_ids uuid[]) RETURNS text[] LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  unit_id uuid;
  above_id uuid;
  path text;
  paths text[] := '{}';
BEGIN
  FOREACH unit_id IN ARRAY unit_ids LOOP
    SELECT u.id::text, u.parent_id INTO path, above_id FROM units u WHERE u.id = unit_id;
    CONTINUE WHEN NOT FOUND;
    WHILE above_id IS NOT NULL LOOP
      SELECT u.id || '/' || path, u.parent_id INTO path, above_id FROM units u WHERE u.id = above_id;
    END LOOP;
    CONTINUE WHEN path = ANY (paths);
    paths := paths || path;
  END LOOP;
  RETURN paths;
END $$;
