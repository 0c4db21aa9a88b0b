-- Domains that organizations prove by a record in DNS, and the roles of people who join by them.

CREATE TABLE organization_domains (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  -- In A-labels and lower case.
  domain text NOT NULL,
  -- The value of the record, after the label of the configuration. It never changes.
  value text NOT NULL,
  -- LAPSED: verified once, but the record has been absent for two weeks.
  status text NOT NULL DEFAULT 'PENDING'
    CONSTRAINT organization_domains_status_known CHECK (status IN ('PENDING', 'VERIFIED', 'LAPSED')),
  -- The connection by which people of the domain sign in.
  connection_id uuid,
  join_mode text NOT NULL DEFAULT 'off'
    CONSTRAINT organization_domains_join_mode_known CHECK (join_mode IN ('off', 'request', 'automatic')),
  verified_at timestamptz(3),
  -- When DNS last said that the record is present, or absent.
  checked_at timestamptz(3),
  -- Until when an instance asks DNS, or waits before it asks again after no answer.
  asked_until timestamptz(3),
  -- Since when the record of a verified domain is absent, and how many answers said so since.
  missing_since timestamptz(3),
  absent_count integer NOT NULL DEFAULT 0,
  -- How many of the three warnings about it were sent.
  notified_stage integer NOT NULL DEFAULT 0,
  -- No foreign key: who added the domain may be deleted, and is nobody if it was added by a setup link.
  created_by_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT organization_domains_unique UNIQUE (organization_id, domain),
  CONSTRAINT organization_domains_verified_once CHECK ((status = 'PENDING') = (verified_at IS NULL)),
  CONSTRAINT organization_domains_missing_if_verified CHECK (status <> 'PENDING' OR missing_since IS NULL)
);

-- A name is verified for one organization at a time.
CREATE UNIQUE INDEX organization_domains_verified ON organization_domains (domain) WHERE status = 'VERIFIED';
CREATE INDEX organization_domains_checked ON organization_domains (status, checked_at);
CREATE INDEX organization_domains_missing ON organization_domains (missing_since) WHERE missing_since IS NOT NULL;
CREATE INDEX organization_domains_connection ON organization_domains (connection_id) WHERE connection_id IS NOT NULL;

-- Assignments refer to this key, so that they belong to the organization of their domain.
CREATE UNIQUE INDEX organization_domains_of_organization ON organization_domains (organization_id, id);

-- The roles of people who join by the domain. None: the default role.
CREATE TABLE organization_domain_assignments (
  domain_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  role_id uuid NOT NULL REFERENCES roles (id),
  unit_id uuid,
  CONSTRAINT organization_domain_assignments_unique UNIQUE NULLS NOT DISTINCT (domain_id, role_id, unit_id),
  CONSTRAINT organization_domain_assignments_of_domain
    FOREIGN KEY (organization_id, domain_id) REFERENCES organization_domains (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT organization_domain_assignments_unit_of_organization
    FOREIGN KEY (organization_id, unit_id) REFERENCES units (organization_id, id)
);

CREATE INDEX organization_domain_assignments_role ON organization_domain_assignments (role_id);
CREATE INDEX organization_domain_assignments_unit ON organization_domain_assignments (unit_id) WHERE unit_id IS NOT NULL;

CREATE TRIGGER organization_domain_assignments_role_of_organization AFTER INSERT OR UPDATE OF role_id, organization_id
ON organization_domain_assignments FOR EACH ROW EXECUTE FUNCTION refuse_foreign_role();

-- Domains as the API returns them.
CREATE VIEW domains_with_assignments AS
SELECT d.*,
  (SELECT json_agg(json_build_array(a.role_id, r.name, a.unit_id, u.name)
      ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, u.name COLLATE natural_order, a.role_id)
    FROM organization_domain_assignments a JOIN roles r ON r.id = a.role_id LEFT JOIN units u ON u.id = a.unit_id
    WHERE a.domain_id = d.id) AS assignments
FROM organization_domains d;
