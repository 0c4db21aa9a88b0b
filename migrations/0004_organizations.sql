-- Organizations, their trees of units, roles, and who belongs where with which role.

CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- How texts are compared in searches and orders: without accents and case, final sigma as any other.
CREATE FUNCTION search_fold(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(lower(public.unaccent('public.unaccent'::regdictionary, value)), 'ς', 'σ');

-- What a search for `value` matches, for LIKE: anywhere, with % and _ as ordinary characters.
CREATE FUNCTION search_pattern(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN '%' || regexp_replace(search_fold(value), '([\\%_])', '\\\1', 'g') || '%';

-- What is searched of a person; a line each, so that nothing matches across them.
CREATE FUNCTION search_text_of_person(first_name text, last_name text, email text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN search_fold(first_name || ' ' || last_name || E'\n' || last_name || ' ' || first_name || E'\n' || email);

CREATE INDEX users_newest ON users (created_at, id) WHERE NOT is_deleted;
CREATE INDEX users_by_email ON users (email COLLATE "C", id) WHERE NOT is_deleted;
CREATE INDEX users_by_name ON users (search_fold(last_name) COLLATE "C", id) WHERE NOT is_deleted;
CREATE INDEX users_search ON users USING gin (search_text_of_person(first_name, last_name, email) gin_trgm_ops)
  WHERE NOT is_deleted;

CREATE TYPE organization_status AS ENUM ('ACTIVE', 'SUSPENDED');
-- Named at registration, founded later by a signed-in person, or made by a platform administrator.
CREATE TYPE organization_origin AS ENUM ('REGISTRATION', 'SELF_SERVICE', 'PLATFORM');

-- A name whatever its case; a final sigma is the lower case of the same capital.
CREATE FUNCTION case_folded(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(lower(name), 'ς', 'σ');

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
  CONSTRAINT organizations_slug_form CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) BETWEEN 2 AND 63)
);

CREATE INDEX organizations_newest ON organizations (created_at, id) WHERE NOT is_deleted;
CREATE INDEX organizations_by_name ON organizations (search_fold(name) COLLATE "C", id) WHERE NOT is_deleted;
CREATE INDEX organizations_search ON organizations USING gin (search_fold(name || E'\n' || slug) gin_trgm_ops)
  WHERE NOT is_deleted;
CREATE INDEX organizations_founder ON organizations (founded_by_id, created_at) WHERE founded_by_id IS NOT NULL;
CREATE INDEX organizations_default_role ON organizations (default_role_id) WHERE default_role_id IS NOT NULL;

ALTER TABLE roles ADD CONSTRAINT roles_organization FOREIGN KEY (organization_id) REFERENCES organizations (id);
ALTER TABLE users
  ADD CONSTRAINT users_last_organization FOREIGN KEY (last_organization_id) REFERENCES organizations (id);

CREATE TABLE units (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  parent_id uuid REFERENCES units (id),
  name text NOT NULL,
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT units_not_own_parent CHECK (parent_id <> id)
);

CREATE INDEX units_organization ON units (organization_id) WHERE NOT is_deleted;
-- Deleted ones too: the audit log reaches them.
CREATE INDEX units_parent ON units (parent_id);

-- One row for each person and organization; a person who returns gets it back.
CREATE TABLE memberships (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  user_id uuid NOT NULL REFERENCES users (id),
  joined_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The account's name and email as lists sort and search them, kept by the triggers below: an index can only
  -- serve a list by columns of its own table.
  sort_name text COLLATE "C" NOT NULL DEFAULT '',
  sort_email text COLLATE "C" NOT NULL DEFAULT '',
  search_text text NOT NULL DEFAULT '',
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  CONSTRAINT memberships_unique UNIQUE (organization_id, user_id)
);

-- Small, because it repeats one value: totals are counted from it.
CREATE INDEX memberships_live ON memberships (organization_id) WHERE NOT is_deleted;
CREATE INDEX memberships_user ON memberships (user_id, joined_at, id) WHERE NOT is_deleted;
CREATE INDEX memberships_by_name ON memberships (organization_id, sort_name, user_id) WHERE NOT is_deleted;
CREATE INDEX memberships_by_email ON memberships (organization_id, sort_email, user_id) WHERE NOT is_deleted;
CREATE INDEX memberships_by_joined ON memberships (organization_id, joined_at, user_id) WHERE NOT is_deleted;
CREATE INDEX memberships_search ON memberships USING gin (search_text gin_trgm_ops) WHERE NOT is_deleted;

CREATE FUNCTION memberships_take_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT search_fold(u.last_name), u.email, search_text_of_person(u.first_name, u.last_name, u.email)
  INTO NEW.sort_name, NEW.sort_email, NEW.search_text
  FROM users u WHERE u.id = NEW.user_id;
  RETURN NEW;
END $$;

CREATE TRIGGER memberships_take_names BEFORE INSERT ON memberships
FOR EACH ROW EXECUTE FUNCTION memberships_take_names();

CREATE FUNCTION users_pass_names_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE memberships SET
    sort_name = search_fold(NEW.last_name),
    sort_email = NEW.email,
    search_text = search_text_of_person(NEW.first_name, NEW.last_name, NEW.email)
  WHERE user_id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER users_pass_names_on AFTER UPDATE OF first_name, last_name, email ON users
FOR EACH ROW EXECUTE FUNCTION users_pass_names_on();

-- Roles of a live member: in the whole organization, or in a unit and everything below it.
CREATE TABLE membership_assignments (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  membership_id uuid NOT NULL REFERENCES memberships (id),
  role_id uuid NOT NULL REFERENCES roles (id),
  unit_id uuid REFERENCES units (id),
  -- The membership's, kept by the trigger below: who administers an organization is found without its other members.
  organization_id uuid NOT NULL REFERENCES organizations (id),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT membership_assignments_unique UNIQUE NULLS NOT DISTINCT (membership_id, role_id, unit_id)
);

CREATE INDEX membership_assignments_role ON membership_assignments (role_id, unit_id);
CREATE INDEX membership_assignments_organization ON membership_assignments (organization_id, role_id)
  WHERE unit_id IS NULL;
CREATE INDEX membership_assignments_unit ON membership_assignments (unit_id) WHERE unit_id IS NOT NULL;

CREATE FUNCTION membership_assignments_take_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT m.organization_id INTO NEW.organization_id FROM memberships m WHERE m.id = NEW.membership_id;
  RETURN NEW;
END $$;

CREATE TRIGGER membership_assignments_take_organization BEFORE INSERT ON membership_assignments
FOR EACH ROW EXECUTE FUNCTION membership_assignments_take_organization();

-- Where a member works. A link that ends stays, because the audit log shows a unit's past members to its
-- administrators; links of a membership that ends, end with it.
CREATE TABLE membership_units (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  membership_id uuid NOT NULL REFERENCES memberships (id),
  -- The membership's, kept by the trigger below: records of people of units are found without a further join.
  user_id uuid NOT NULL REFERENCES users (id),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  unit_id uuid NOT NULL REFERENCES units (id),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT membership_units_unique UNIQUE (membership_id, unit_id)
);

CREATE INDEX membership_units_unit ON membership_units (unit_id, user_id, organization_id) WHERE NOT is_deleted;
CREATE INDEX membership_units_past ON membership_units (unit_id, user_id, organization_id);
CREATE INDEX membership_units_user ON membership_units (user_id, unit_id, organization_id) WHERE NOT is_deleted;

CREATE FUNCTION membership_units_take_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT m.user_id, m.organization_id INTO NEW.user_id, NEW.organization_id
  FROM memberships m WHERE m.id = NEW.membership_id;
  RETURN NEW;
END $$;

CREATE TRIGGER membership_units_take_member BEFORE INSERT ON membership_units
FOR EACH ROW EXECUTE FUNCTION membership_units_take_member();

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
