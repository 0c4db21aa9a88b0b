-- Who belongs to which organization, with which roles, in which units.

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
  -- Through units, only records since then are in reach (rules 13.12). Null for all: the member never left.
  reached_from timestamptz(3),
  CONSTRAINT memberships_unique UNIQUE (organization_id, user_id)
);

CREATE INDEX memberships_user ON memberships (user_id, joined_at, id) WHERE NOT is_deleted;
CREATE INDEX memberships_by_name ON memberships (organization_id, sort_name, user_id) WHERE NOT is_deleted;
CREATE INDEX memberships_by_email ON memberships (organization_id, sort_email, user_id) WHERE NOT is_deleted;
CREATE INDEX memberships_by_joined ON memberships (organization_id, joined_at, user_id) WHERE NOT is_deleted;
CREATE INDEX memberships_search ON memberships USING gin (search_text gin_trgm_ops) WHERE NOT is_deleted;

-- With the user: whether the inviter of an invitation is a live member is looked up here.
CREATE INDEX memberships_live ON memberships (organization_id, user_id) WHERE NOT is_deleted;

-- Assignments and unit memberships refer to this key, so that they belong to the organization of their membership.
CREATE UNIQUE INDEX memberships_of_organization ON memberships (organization_id, id);

-- In the audit log the returned members of an organization are looked up together (rules 13.12).
CREATE INDEX memberships_returned_to ON memberships (organization_id, user_id, reached_from) WHERE reached_from IS NOT NULL;

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
  membership_id uuid NOT NULL,
  role_id uuid NOT NULL REFERENCES roles (id),
  unit_id uuid,
  -- The membership's, kept by the trigger below: who administers an organization is found without its other members.
  organization_id uuid NOT NULL REFERENCES organizations (id),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT membership_assignments_unique UNIQUE NULLS NOT DISTINCT (membership_id, role_id, unit_id),
  CONSTRAINT membership_assignments_membership_of_organization
    FOREIGN KEY (organization_id, membership_id) REFERENCES memberships (organization_id, id),
  CONSTRAINT membership_assignments_unit_of_organization
    FOREIGN KEY (organization_id, unit_id) REFERENCES units (organization_id, id)
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

-- Built-in roles belong to no organization, so no foreign key can say that a role belongs to the organization or is built in.
CREATE FUNCTION refuse_foreign_role() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT FROM roles r WHERE r.id = NEW.role_id AND r.organization_id <> NEW.organization_id)
  THEN RAISE EXCEPTION 'The role belongs to another organization' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME; END IF; RETURN NEW; END $$;

CREATE TRIGGER membership_assignments_role_of_organization AFTER INSERT OR UPDATE OF role_id, organization_id
ON membership_assignments FOR EACH ROW EXECUTE FUNCTION refuse_foreign_role();

-- Where a member works. A link that ends stays, because the audit log shows a unit's past members to its
-- administrators; links of a membership that ends, end with it.
CREATE TABLE membership_units (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  membership_id uuid NOT NULL,
  -- The membership's, kept by the trigger below: records of people of units are found without a further join.
  user_id uuid NOT NULL REFERENCES users (id),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  unit_id uuid NOT NULL,
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT membership_units_unique UNIQUE (membership_id, unit_id),
  CONSTRAINT membership_units_membership_of_organization
    FOREIGN KEY (organization_id, membership_id) REFERENCES memberships (organization_id, id),
  CONSTRAINT membership_units_unit_of_organization
    FOREIGN KEY (organization_id, unit_id) REFERENCES units (organization_id, id)
);

CREATE INDEX membership_units_unit ON membership_units (unit_id, user_id, organization_id) WHERE NOT is_deleted;
CREATE INDEX membership_units_past ON membership_units (unit_id, user_id, organization_id);
CREATE INDEX membership_units_user ON membership_units (user_id, unit_id, organization_id) WHERE NOT is_deleted;

-- Whether somebody was ever linked to one of these units, looked up person by person.
CREATE INDEX membership_units_ever ON membership_units (user_id, unit_id);

CREATE FUNCTION membership_units_take_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT m.user_id, m.organization_id INTO NEW.user_id, NEW.organization_id
  FROM memberships m WHERE m.id = NEW.membership_id;
  RETURN NEW;
END $$;

CREATE TRIGGER membership_units_take_member BEFORE INSERT ON membership_units
FOR EACH ROW EXECUTE FUNCTION membership_units_take_member();

-- Who is a member of which unit now: memberships of units that have not ended. Queries about people in reach read this view, so that
-- none of them can forget the condition. The planner expands it, so it has the plans of the table.
CREATE VIEW unit_members AS
SELECT membership_id, organization_id, user_id, unit_id FROM membership_units WHERE NOT is_deleted;

-- Where somebody acts, and what is held there, as part of the statements that begin and continue a session.
CREATE FUNCTION active_organization_grants(of_user_id uuid, preferred_id uuid)
RETURNS TABLE (organization_id uuid, organization_name text, organization_slug text,
  role_name text, permissions text[], unit_id uuid, assignment_id uuid)
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT home.organization_id, home.name, home.slug, r.name, r.permissions, a.unit_id, a.id
  FROM (
    SELECT m.id, m.organization_id, o.name, o.slug
    FROM memberships m JOIN organizations o ON o.id = m.organization_id
    WHERE m.user_id = of_user_id AND NOT m.is_deleted AND o.status = 'ACTIVE' AND NOT o.is_deleted
    ORDER BY m.organization_id = preferred_id DESC NULLS LAST, m.joined_at, m.id
    LIMIT 1
  ) home
  LEFT JOIN (
    membership_assignments a
    JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
    LEFT JOIN units u ON u.id = a.unit_id
  ) ON a.membership_id = home.id AND u.is_deleted IS NOT TRUE
$$;

-- The organization that a session of this user acts in, with the grants there (active_organization_grants): at least one
-- row for a live user, none for a deleted one. A platform administrator's session acts in none. Volatile, so that it takes a
-- new snapshot when it is called: a statement that waits for the user's lock and then calls it sees what was committed
-- before the lock was granted.
CREATE FUNCTION session_grants(of_user_id uuid, preferred_id uuid)
RETURNS TABLE (is_platform_admin boolean, has_two_factor boolean, organization_id uuid, organization_name text,
  organization_slug text, role_name text, permissions text[], unit_id uuid, assignment_id uuid)
LANGUAGE sql VOLATILE AS $$
  SELECT u.is_platform_admin, u.two_factor_enabled_at IS NOT NULL, active.*
  FROM users u LEFT JOIN LATERAL active_organization_grants(u.id, COALESCE(preferred_id, u.last_organization_id)) active
    ON NOT u.is_platform_admin
  WHERE u.id = of_user_id AND NOT u.is_deleted
$$;
