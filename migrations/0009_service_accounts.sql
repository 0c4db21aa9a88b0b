-- Service accounts: identities of machines, each in one organization, with roles like a member, and the API keys with which they
-- authenticate.

CREATE TABLE service_accounts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  is_enabled boolean NOT NULL DEFAULT true,
  created_by_id uuid REFERENCES users (id),
  last_used_at timestamptz(3),
  -- When members were last mailed about the keys: at most once an hour, so that a caller cannot make the service send endless mails.
  mailed_at timestamptz(3),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX service_accounts_name_unique ON service_accounts (organization_id, case_folded(name)) WHERE NOT is_deleted;
CREATE INDEX service_accounts_newest ON service_accounts (organization_id, created_at, id) WHERE NOT is_deleted;

-- Includes deleted accounts: the audit log finds actors by their name.
CREATE INDEX service_accounts_search ON service_accounts USING gin (search_fold(name) gin_trgm_ops);

-- Assignments, units and keys refer to this key, so that they belong to the organization of their account.
CREATE UNIQUE INDEX service_accounts_of_organization ON service_accounts (organization_id, id);

-- Roles of a live service account: in the whole organization, or in a unit and everything below it.
CREATE TABLE service_account_assignments (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  service_account_id uuid NOT NULL,
  role_id uuid NOT NULL REFERENCES roles (id),
  unit_id uuid,
  organization_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT service_account_assignments_unique UNIQUE NULLS NOT DISTINCT (service_account_id, role_id, unit_id),
  CONSTRAINT service_account_assignments_account_of_organization
    FOREIGN KEY (organization_id, service_account_id) REFERENCES service_accounts (organization_id, id),
  CONSTRAINT service_account_assignments_unit_of_organization
    FOREIGN KEY (organization_id, unit_id) REFERENCES units (organization_id, id)
);

CREATE INDEX service_account_assignments_role ON service_account_assignments (role_id);
CREATE INDEX service_account_assignments_unit ON service_account_assignments (unit_id) WHERE unit_id IS NOT NULL;

CREATE TRIGGER service_account_assignments_role_of_organization AFTER INSERT OR UPDATE OF role_id, organization_id
ON service_account_assignments FOR EACH ROW EXECUTE FUNCTION refuse_foreign_role();

-- Every unit that an assignment ever named. The audit log shows the events of a service account to administrators of these units.
CREATE TABLE service_account_units (
  service_account_id uuid NOT NULL REFERENCES service_accounts (id),
  unit_id uuid NOT NULL REFERENCES units (id),
  CONSTRAINT service_account_units_pkey PRIMARY KEY (service_account_id, unit_id)
);

CREATE INDEX service_account_units_unit ON service_account_units (unit_id, service_account_id);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  service_account_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  -- SHA-256 of the key in hexadecimal. The key itself is never stored.
  token_hash text NOT NULL CONSTRAINT api_keys_token_hash_unique UNIQUE,
  -- The prefix and four characters of the key, by which people recognize it.
  start text NOT NULL,
  -- Null: any address.
  allowed_ips cidr[],
  -- Null: the key never expires.
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  -- The key that a rotation created. The replaced key works until it expires.
  replaced_by_id uuid REFERENCES api_keys (id) ON DELETE SET NULL,
  last_used_at timestamptz(3),
  last_used_ip text,
  created_by_id uuid REFERENCES users (id),
  -- When the last refusal was audited, which happens at most once an hour.
  refusal_audited_at timestamptz(3),
  -- When the organization was notified that the key will expire.
  expiry_notified_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT api_keys_account_of_organization
    FOREIGN KEY (organization_id, service_account_id) REFERENCES service_accounts (organization_id, id)
);

CREATE INDEX api_keys_account ON api_keys (service_account_id, created_at, id);
CREATE INDEX api_keys_expiring ON api_keys (expires_at) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX api_keys_replaced_by ON api_keys (replaced_by_id) WHERE replaced_by_id IS NOT NULL;

-- Keys with their status and their creator.
CREATE VIEW api_keys_with_status AS
SELECT k.id, k.service_account_id, k.organization_id, k.name, k.start, k.allowed_ips::text[] AS allowed_ips, k.expires_at,
  k.revoked_at, k.replaced_by_id, k.last_used_at, k.last_used_ip, k.created_by_id, k.created_at,
  CASE
    WHEN k.revoked_at IS NOT NULL THEN 'REVOKED'
    WHEN k.expires_at <= now() THEN 'EXPIRED'
    WHEN k.replaced_by_id IS NOT NULL THEN 'ROTATED'
    ELSE 'ACTIVE'
  END AS status,
  creator.email AS creator_email,
  EXISTS (
    SELECT FROM memberships m
    WHERE m.organization_id = k.organization_id AND m.user_id = k.created_by_id AND NOT m.is_deleted) AS is_creator_member
FROM api_keys k LEFT JOIN users creator ON creator.id = k.created_by_id;

-- Live service accounts as the API returns them. `unit_ids` has a null for each assignment in the whole organization, which no list of
-- units contains.
CREATE VIEW live_service_accounts AS
SELECT s.id, s.organization_id, s.name, s.description, s.is_enabled, s.last_used_at, s.created_at, s.created_by_id,
  creator.email AS creator_email,
  ARRAY(SELECT a.unit_id FROM service_account_assignments a WHERE a.service_account_id = s.id) AS unit_ids,
  (SELECT json_agg(json_build_array(a.role_id, r.name, a.unit_id, given.name)
      ORDER BY a.unit_id IS NOT NULL, r.name, given.name, a.id)
    FROM service_account_assignments a JOIN roles r ON r.id = a.role_id LEFT JOIN units given ON given.id = a.unit_id
    WHERE a.service_account_id = s.id) AS assignments,
  (SELECT count(*)::int FROM api_keys k
    WHERE k.service_account_id = s.id AND k.revoked_at IS NULL AND k.replaced_by_id IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())) AS active_key_count
FROM service_accounts s LEFT JOIN users creator ON creator.id = s.created_by_id
WHERE NOT s.is_deleted;

-- Returns the organization of a service account and its grants there, with the columns of active_organization_grants.
CREATE FUNCTION service_account_grants(of_account_id uuid)
RETURNS TABLE (organization_id uuid, organization_name text, organization_slug text,
  role_name text, permissions text[], unit_id uuid, assignment_id uuid)
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT o.id, o.name, o.slug, r.name, r.permissions, a.unit_id, a.id
  FROM service_accounts s
  JOIN organizations o ON o.id = s.organization_id AND NOT o.is_deleted
  LEFT JOIN (
    service_account_assignments a
    JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
    LEFT JOIN units u ON u.id = a.unit_id
  ) ON a.service_account_id = s.id AND u.is_deleted IS NOT TRUE
  WHERE s.id = of_account_id AND s.is_enabled AND NOT s.is_deleted
$$;
