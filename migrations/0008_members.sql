-- Members of organizations, their roles, their units, and the days on which they were active.

-- One row for each user and organization. A user who returns to an organization gets this row again.
CREATE TABLE memberships (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  user_id uuid NOT NULL REFERENCES users (id),
  joined_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Name and email of the account as lists sort and search them, maintained by the triggers below: an index can only
  -- serve a list by columns of its own table.
  sort_name text COLLATE "C" NOT NULL DEFAULT '',
  sort_email text COLLATE "C" NOT NULL DEFAULT '',
  search_text text NOT NULL DEFAULT '',
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  -- Through units, only records since then are in reach (rules 13.12). Null if all records are: the member never left.
  reached_from timestamptz(3),
  CONSTRAINT memberships_unique UNIQUE (organization_id, user_id)
);

CREATE INDEX memberships_user ON memberships (user_id, joined_at, id) WHERE NOT is_deleted;
CREATE INDEX memberships_last_name_order ON memberships (organization_id, sort_name COLLATE natural_order, user_id)
  INCLUDE (search_text) WHERE NOT is_deleted;
CREATE INDEX memberships_by_email ON memberships (organization_id, sort_email, user_id) WHERE NOT is_deleted;
CREATE INDEX memberships_by_joined ON memberships (organization_id, joined_at, user_id) WHERE NOT is_deleted;
CREATE INDEX memberships_search ON memberships USING gin (search_text gin_trgm_ops) WHERE NOT is_deleted;

-- Finds whether the inviter of an invitation is a live member.
CREATE INDEX memberships_live ON memberships (organization_id, user_id) WHERE NOT is_deleted;

-- Finds former members by their email, for a search of the audit log.
CREATE INDEX memberships_former ON memberships (organization_id, user_id) INCLUDE (sort_email) WHERE is_deleted;

-- The usage of seats on earlier days is computed backwards from now, by memberships that began and that ended.
CREATE INDEX memberships_ended ON memberships (organization_id, deleted_at) WHERE is_deleted;

-- Assignments and unit memberships refer to this key, so that they belong to the organization of their membership.
CREATE UNIQUE INDEX memberships_of_organization ON memberships (organization_id, id);

-- The audit log looks up all returned members of an organization together (rules 13.12).
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

-- Counts the live members of each organization (0002_row_counts.sql).
CREATE FUNCTION memberships_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO row_count_deltas (list, owner, rows)
    SELECT 'memberships', organization_id, count(*) FROM added WHERE NOT is_deleted GROUP BY organization_id;
    RETURN NULL;
  END IF;
  IF NOT OLD.is_deleted THEN
    INSERT INTO row_count_deltas (list, owner, rows) VALUES ('memberships', OLD.organization_id, -1);
  END IF;
  IF TG_OP = 'UPDATE' AND NOT NEW.is_deleted THEN
    INSERT INTO row_count_deltas (list, owner, rows) VALUES ('memberships', NEW.organization_id, 1);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER memberships_count_added AFTER INSERT ON memberships
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION memberships_count();
CREATE TRIGGER memberships_count_changed AFTER DELETE OR UPDATE OF is_deleted, organization_id ON memberships
FOR EACH ROW EXECUTE FUNCTION memberships_count();

-- Roles of a live member: in the whole organization, or in a unit and everything below it.
CREATE TABLE membership_assignments (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  membership_id uuid NOT NULL,
  role_id uuid NOT NULL REFERENCES roles (id),
  unit_id uuid,
  -- Copied from the membership by the trigger below, so that the administrators of an organization are found without its other members.
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

-- Built-in roles belong to no organization, so no foreign key can require a role of this organization or a built-in one.
CREATE FUNCTION refuse_foreign_role() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT FROM roles r WHERE r.id = NEW.role_id AND r.organization_id <> NEW.organization_id)
  THEN RAISE EXCEPTION 'The role belongs to another organization' USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME; END IF; RETURN NEW; END $$;

CREATE TRIGGER membership_assignments_role_of_organization AFTER INSERT OR UPDATE OF role_id, organization_id
ON membership_assignments FOR EACH ROW EXECUTE FUNCTION refuse_foreign_role();

-- The units of a member. The row of a link that ended stays, because the audit log shows a unit's former members to its
-- administrators. When a membership ends, its links end too.
CREATE TABLE membership_units (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  membership_id uuid NOT NULL,
  -- User and organization are copied from the membership by the trigger below, so that records of people in units need no further join.
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

-- Finds whether a person was ever linked to one of some units.
CREATE INDEX membership_units_ever ON membership_units (user_id, unit_id);

CREATE FUNCTION membership_units_take_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT m.user_id, m.organization_id INTO NEW.user_id, NEW.organization_id
  FROM memberships m WHERE m.id = NEW.membership_id;
  RETURN NEW;
END $$;

CREATE TRIGGER membership_units_take_member BEFORE INSERT ON membership_units
FOR EACH ROW EXECUTE FUNCTION membership_units_take_member();

-- The current members of each unit. Queries about people in reach read this view, so that none of them can forget the condition. The
-- planner expands the view, so it has the plans of the table.
CREATE VIEW unit_members AS
SELECT membership_id, organization_id, user_id, unit_id FROM membership_units WHERE NOT is_deleted;

-- Returns the organization in which a user acts, and the grants there. Part of the statements that begin and continue a session.
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

-- Returns the organization of a session of this user, with the grants there (active_organization_grants): at least one
-- row for a live user, none for a deleted one. The session of a platform administrator has no organization. Volatile, so that it takes a
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

-- The UTC days on which a member began or continued a session in an organization. Rows are deleted after 90 days.
CREATE TABLE member_activity (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  day date NOT NULL,
  CONSTRAINT member_activity_pkey PRIMARY KEY (organization_id, user_id, day)
);

CREATE INDEX member_activity_days ON member_activity (organization_id, day, user_id);
CREATE INDEX member_activity_age ON member_activity (day);

-- A trigger, so that sign-in, refresh and switch stay one statement each.
CREATE FUNCTION refresh_tokens_record_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO member_activity (organization_id, user_id, day)
  SELECT NEW.organization_id, NEW.user_id, (NEW.created_at AT TIME ZONE 'UTC')::date WHERE NEW.organization_id IS NOT NULL
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- PostgreSQL parses the condition of a trigger at each statement, so it is a single column.
CREATE TRIGGER refresh_tokens_record_activity AFTER INSERT ON refresh_tokens
FOR EACH ROW WHEN (NEW.records_activity) EXECUTE FUNCTION refresh_tokens_record_activity();
