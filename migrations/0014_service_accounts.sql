-- Service accounts: identities of machines, each in one organization, with roles like a member, and the API keys by which they
-- sign in.

CREATE TABLE service_accounts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  is_enabled boolean NOT NULL DEFAULT true,
  created_by_id uuid REFERENCES users (id),
  last_used_at timestamptz(3),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX service_accounts_name_unique ON service_accounts (organization_id, case_folded(name)) WHERE NOT is_deleted;
CREATE INDEX service_accounts_newest ON service_accounts (organization_id, created_at, id) WHERE NOT is_deleted;

-- Deleted ones too: the audit log finds actors by their name.
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
  -- Null: the key has no end.
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

-- Keys with their status and who created them. A replaced key works until it expires.
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

-- Instances cache keys with the grants of their account. Each change that ends a key, or changes what it may do, is announced with
-- the id of the key, the account or the organization. That a key was used is not announced.
CREATE FUNCTION announce_authority_of_keys() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_notify('api_keys', NEW.id::text); RETURN NULL; END $$;

CREATE TRIGGER api_keys_announce AFTER UPDATE OF revoked_at, expires_at, allowed_ips ON api_keys
FOR EACH ROW WHEN ((OLD.revoked_at, OLD.expires_at, OLD.allowed_ips) IS DISTINCT FROM (NEW.revoked_at, NEW.expires_at, NEW.allowed_ips))
EXECUTE FUNCTION announce_authority_of_keys();

CREATE TRIGGER service_accounts_announce AFTER UPDATE OF is_enabled, is_deleted ON service_accounts
FOR EACH ROW WHEN (OLD.is_enabled <> NEW.is_enabled OR OLD.is_deleted <> NEW.is_deleted)
EXECUTE FUNCTION announce_authority_of_keys();

CREATE TRIGGER organizations_announce AFTER UPDATE OF status, is_deleted ON organizations
FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.is_deleted <> NEW.is_deleted)
EXECUTE FUNCTION announce_authority_of_keys();

CREATE FUNCTION announce_assignments_of_keys() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_notify('api_keys', changed.service_account_id::text)
  FROM (SELECT DISTINCT service_account_id FROM changed_assignments) changed;
  RETURN NULL; END $$;

CREATE TRIGGER service_account_assignments_announce_added AFTER INSERT ON service_account_assignments
REFERENCING NEW TABLE AS changed_assignments FOR EACH STATEMENT EXECUTE FUNCTION announce_assignments_of_keys();

CREATE TRIGGER service_account_assignments_announce_removed AFTER DELETE ON service_account_assignments
REFERENCING OLD TABLE AS changed_assignments FOR EACH STATEMENT EXECUTE FUNCTION announce_assignments_of_keys();

-- The organization that a service account acts in, and what it holds there, in the form of active_organization_grants.
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

-- Invitations may be sent by a service account. They work only while it is live and enabled.
ALTER TABLE user_invitations ALTER COLUMN invited_by_id DROP NOT NULL,
  ADD COLUMN invited_by_account_id uuid REFERENCES service_accounts (id);
ALTER TABLE user_invitations ADD CONSTRAINT user_invitations_one_inviter
  CHECK (num_nonnulls(invited_by_id, invited_by_account_id) = 1);

CREATE INDEX user_invitations_pending_account ON user_invitations (invited_by_account_id)
  WHERE invited_by_account_id IS NOT NULL AND accepted_at IS NULL AND NOT is_deleted;

DROP VIEW pending_invitations;

-- What is neither accepted nor revoked. It works until it expires, and only while its inviter acts for the
-- organization: as a platform administrator, as a live member, or as an enabled service account.
CREATE VIEW pending_invitations AS
SELECT i.*, inviter.email AS inviter_email, account.name AS inviter_account_name,
  i.expires_at > now() AND COALESCE(account.is_enabled, inviter.id IS NOT NULL AND (inviter.is_platform_admin OR EXISTS (
    SELECT FROM memberships m
    WHERE m.user_id = inviter.id AND m.organization_id = i.organization_id AND NOT m.is_deleted))) AS is_working
FROM user_invitations i LEFT JOIN users inviter ON inviter.id = i.invited_by_id AND NOT inviter.is_deleted
LEFT JOIN service_accounts account ON account.id = i.invited_by_account_id AND NOT account.is_deleted
WHERE i.accepted_at IS NULL AND NOT i.is_deleted;

-- Events of service accounts. Both columns are null in events of people and of nobody.
ALTER TABLE audit_events
  ADD COLUMN actor_type text CONSTRAINT audit_events_actor_type_known CHECK (actor_type = 'service_account'),
  ADD COLUMN api_key_id uuid,
  DROP CONSTRAINT audit_events_target_type_known,
  ADD CONSTRAINT audit_events_target_type_known CHECK (target_type IN
    ('user', 'invitation', 'organization', 'unit', 'role', 'ticket', 'session', 'subscription', 'service_account', 'api_key'));

-- Who acts in which unit, for the audit log: members and service accounts, now and ever.
CREATE VIEW actors_of_units AS
SELECT unit_id, user_id AS actor_id FROM membership_units WHERE NOT is_deleted
UNION ALL
SELECT unit_id, service_account_id FROM service_account_assignments WHERE unit_id IS NOT NULL;

CREATE VIEW actors_of_units_ever AS
SELECT unit_id, user_id AS actor_id FROM membership_units
UNION ALL
SELECT unit_id, service_account_id FROM service_account_units;
