-- Single sign-on by OpenID providers of organizations, and what an organization asks of those who sign in (rules 38). Rows of an
-- organization are written under its lock.

-- An OpenID provider of one organization.
CREATE TABLE sso_connections (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  status text NOT NULL DEFAULT 'DRAFT' CONSTRAINT sso_connections_status_known CHECK (status IN ('DRAFT', 'ENABLED', 'DISABLED')),
  issuer text NOT NULL,
  client_id text NOT NULL,
  -- Encrypted with CONNECTION_ENCRYPTION_KEY; null for a public client.
  client_secret text,
  scopes text NOT NULL DEFAULT 'openid email profile',
  client_secret_expires_at timestamptz(3),
  -- Which claims are subject, email, names and groups.
  claims jsonb NOT NULL,
  provisioning text NOT NULL DEFAULT 'none' CONSTRAINT sso_connections_provisioning_known CHECK (provisioning IN ('none', 'jit')),
  second_factor text NOT NULL DEFAULT 'own' CONSTRAINT sso_connections_second_factor_known CHECK (second_factor IN ('own', 'trusted')),
  -- Raised by every change.
  version integer NOT NULL DEFAULT 1,
  -- Raised by changes of the provider or of the claims: a sign-in that began before is refused, and a test no longer counts.
  tested_version integer NOT NULL DEFAULT 1,
  tested_at timestamptz(3),
  last_sign_in_at timestamptz(3),
  last_error_code text,
  last_error_at timestamptz(3),
  last_error_detail text,
  -- Failures of the provider in a row, and when its administrators were last told.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  warned_at timestamptz(3),
  -- How many days before the expiry of the secret its administrators were last told.
  secret_warned_days integer,
  created_by_id uuid REFERENCES users (id),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX sso_connections_organization ON sso_connections (organization_id, created_at, id) WHERE NOT is_deleted;
CREATE INDEX sso_connections_creator ON sso_connections (created_by_id) WHERE created_by_id IS NOT NULL;
CREATE INDEX sso_connections_expiring ON sso_connections (client_secret_expires_at)
  WHERE client_secret_expires_at IS NOT NULL AND NOT is_deleted;

-- What a new member gets who has no role by a group.
CREATE TABLE sso_connection_assignments (
  connection_id uuid NOT NULL REFERENCES sso_connections (id),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  role_id uuid NOT NULL REFERENCES roles (id),
  unit_id uuid,
  CONSTRAINT sso_connection_assignments_unique UNIQUE NULLS NOT DISTINCT (connection_id, role_id, unit_id),
  CONSTRAINT sso_connection_assignments_unit_of_organization
    FOREIGN KEY (organization_id, unit_id) REFERENCES units (organization_id, id)
);

CREATE INDEX sso_connection_assignments_role ON sso_connection_assignments (role_id);
CREATE INDEX sso_connection_assignments_unit ON sso_connection_assignments (unit_id) WHERE unit_id IS NOT NULL;
CREATE TRIGGER sso_connection_assignments_role_of_organization AFTER INSERT OR UPDATE OF role_id, organization_id
ON sso_connection_assignments FOR EACH ROW EXECUTE FUNCTION refuse_foreign_role();

-- A person of a connection, linked to an account. No identity is looked up outside of its connection.
CREATE TABLE sso_identities (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  connection_id uuid NOT NULL REFERENCES sso_connections (id),
  user_id uuid NOT NULL REFERENCES users (id),
  subject text NOT NULL,
  email text NOT NULL,
  -- The groups of the last sign-in, as the provider sent them.
  groups text[] NOT NULL DEFAULT '{}',
  linked_at timestamptz(3) NOT NULL DEFAULT now(),
  last_sign_in_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT sso_identities_of_one_account UNIQUE (connection_id, subject),
  CONSTRAINT sso_identities_one_of_a_connection UNIQUE (connection_id, user_id)
);

CREATE INDEX sso_identities_user ON sso_identities (user_id);
CREATE INDEX sso_identities_groups ON sso_identities USING gin (groups);

-- A group of the provider that gives a role, in the whole organization or in a unit.
CREATE TABLE sso_mappings (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  connection_id uuid NOT NULL REFERENCES sso_connections (id),
  group_name text NOT NULL,
  role_id uuid NOT NULL REFERENCES roles (id),
  unit_id uuid,
  created_by_id uuid REFERENCES users (id),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT sso_mappings_unique UNIQUE NULLS NOT DISTINCT (connection_id, group_name, role_id, unit_id),
  CONSTRAINT sso_mappings_unit_of_organization FOREIGN KEY (organization_id, unit_id) REFERENCES units (organization_id, id)
);

CREATE INDEX sso_mappings_organization ON sso_mappings (organization_id, created_at, id);
CREATE INDEX sso_mappings_role ON sso_mappings (role_id);
CREATE INDEX sso_mappings_unit ON sso_mappings (unit_id) WHERE unit_id IS NOT NULL;
CREATE INDEX sso_mappings_creator ON sso_mappings (created_by_id) WHERE created_by_id IS NOT NULL;
CREATE TRIGGER sso_mappings_role_of_organization AFTER INSERT OR UPDATE OF role_id, organization_id
ON sso_mappings FOR EACH ROW EXECUTE FUNCTION refuse_foreign_role();

-- A link by which a person who is no member sets up domains or a connection.
CREATE TABLE sign_on_setup_links (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  email text NOT NULL,
  what text[] NOT NULL,
  -- SHA-256 of the token, in hexadecimal.
  token_hash text NOT NULL CONSTRAINT sign_on_setup_links_token_unique UNIQUE,
  created_by_id uuid NOT NULL REFERENCES users (id),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  revoked_at timestamptz(3)
);

CREATE INDEX sign_on_setup_links_organization ON sign_on_setup_links (organization_id, created_at DESC, id DESC);
CREATE INDEX sign_on_setup_links_creator ON sign_on_setup_links (created_by_id);
CREATE INDEX sign_on_setup_links_expiry ON sign_on_setup_links (expires_at);

-- A test of a connection: begun by a member or by a setup link. It signs nobody in.
CREATE TABLE sso_tests (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  connection_id uuid NOT NULL REFERENCES sso_connections (id),
  user_id uuid REFERENCES users (id),
  setup_link_id uuid REFERENCES sign_on_setup_links (id),
  -- The version of the connection's provider and claims that was tested.
  tested_version integer NOT NULL,
  -- Encrypted with CONNECTION_ENCRYPTION_KEY; null while the provider has not answered.
  result text,
  passed_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT sso_tests_begun_by_one CHECK (num_nonnulls(user_id, setup_link_id) = 1)
);

CREATE INDEX sso_tests_connection ON sso_tests (connection_id, created_at);
CREATE INDEX sso_tests_user ON sso_tests (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX sso_tests_setup_link ON sso_tests (setup_link_id) WHERE setup_link_id IS NOT NULL;
CREATE INDEX sso_tests_expiry ON sso_tests (expires_at);

-- What an organization asks of those who act in it. Columns that are announced hold from enforce_from on (sign_on_policy).
CREATE TABLE sign_on_policies (
  organization_id uuid PRIMARY KEY REFERENCES organizations (id),
  scope text NOT NULL DEFAULT 'off' CONSTRAINT sign_on_policies_scope_known CHECK (scope IN ('off', 'domains', 'everyone')),
  require_two_factor boolean NOT NULL DEFAULT false,
  announced_scope text CONSTRAINT sign_on_policies_announced_known CHECK (announced_scope IN ('off', 'domains', 'everyone')),
  announced_two_factor boolean,
  enforce_from timestamptz(3),
  max_session_hours integer,
  reauthentication_minutes integer,
  version integer NOT NULL DEFAULT 1,
  reminded_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT sign_on_policies_announced_whole CHECK (num_nonnulls(announced_scope, announced_two_factor, enforce_from) IN (0, 3))
);

CREATE INDEX sign_on_policies_announced ON sign_on_policies (enforce_from) WHERE enforce_from IS NOT NULL;

-- Members who may act by own proofs although the policy binds members to single sign-on, so that nobody is locked out.
CREATE TABLE break_glass_members (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  user_id uuid NOT NULL REFERENCES users (id),
  -- The session of the last use: one use is told once.
  last_session_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT break_glass_members_pkey PRIMARY KEY (organization_id, user_id)
);

CREATE INDEX break_glass_members_user ON break_glass_members (user_id);

-- The policy in effect: what was announced holds from its time on, by the clock of the database.
CREATE VIEW sign_on_policy AS
SELECT organization_id,
  CASE WHEN enforce_from <= now() THEN announced_scope ELSE scope END AS scope,
  CASE WHEN enforce_from <= now() THEN announced_two_factor ELSE require_two_factor END AS require_two_factor,
  max_session_hours, reauthentication_minutes
FROM sign_on_policies;

-- A session may also be proven by connections: kind `sso`, one proof for each connection. Such a proof counts only while its connection is
-- enabled and its identity is the one that it was shown with (session_in_organization). The other kinds are the account's own proofs.
ALTER TABLE session_proofs ADD COLUMN connection_id uuid REFERENCES sso_connections (id);
ALTER TABLE session_proofs DROP CONSTRAINT session_proofs_kind_known;
ALTER TABLE session_proofs ADD CONSTRAINT session_proofs_kind_known CHECK (kind IN ('password', 'provider', 'passkey', 'sso'));
ALTER TABLE session_proofs ADD CONSTRAINT session_proofs_of_connection CHECK ((kind = 'sso') = (connection_id IS NOT NULL));
ALTER TABLE session_proofs DROP CONSTRAINT session_proofs_one_of_a_kind;
ALTER TABLE session_proofs ADD CONSTRAINT session_proofs_one_of_a_kind UNIQUE NULLS NOT DISTINCT (session_id, kind, connection_id);
CREATE INDEX session_proofs_connection ON session_proofs (connection_id, user_id) WHERE connection_id IS NOT NULL;

-- The form of a proof by a connection in refresh_tokens.proof. `at` has milliseconds, because it is compared with the time of the link.
CREATE FUNCTION sso_proof(of_connection_id uuid, factors smallint, proved_at timestamptz) RETURNS jsonb LANGUAGE sql STABLE
RETURN jsonb_build_object('connection', of_connection_id, 'factors', factors, 'at', extract(epoch FROM proved_at)::numeric(16, 3));

-- Returns the proofs of a session: newest time, most factors and methods of the own proofs and, under `sso`, the proofs by connections,
-- by organization. A session that was only proven by connections is confined: it has no `auth_time`. Without any proof, the beginning of
-- the session counts as its own proof. VOLATILE, so that a refresh reads what was committed while it waited for the lock of the user.
CREATE OR REPLACE FUNCTION session_proof(of_session_id uuid, started_at timestamptz) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
  SELECT COALESCE(own.proof, CASE WHEN sso.proofs IS NULL THEN
      jsonb_build_object('auth_time', floor(extract(epoch FROM started_at))::bigint, 'acr', '1', 'amr', '[]'::jsonb) END, '{}')
    || CASE WHEN sso.proofs IS NULL THEN '{}'::jsonb ELSE jsonb_build_object('sso', sso.proofs) END
  FROM (
    SELECT CASE WHEN count(*) > 0 THEN jsonb_build_object(
      'auth_time', floor(extract(epoch FROM max(p.proved_at)))::bigint,
      'acr', max(p.factors)::text,
      'amr', ARRAY(
        SELECT method FROM session_proofs s, unnest(s.amr) WITH ORDINALITY shown (method, nth)
        WHERE s.session_id = of_session_id AND s.kind <> 'sso'
        GROUP BY method ORDER BY min(s.proved_at), min(nth))) END AS proof
    FROM session_proofs p WHERE p.session_id = of_session_id AND p.kind <> 'sso'
  ) own, (
    SELECT jsonb_object_agg(organization_id, proof) AS proofs FROM (
      SELECT DISTINCT ON (c.organization_id) c.organization_id, sso_proof(c.id, p.factors, p.proved_at) AS proof
      FROM session_proofs p JOIN sso_connections c ON c.id = p.connection_id
      WHERE p.session_id = of_session_id AND p.kind = 'sso'
      ORDER BY c.organization_id, p.proved_at DESC, c.id
    ) newest
  ) sso
$$;

-- Whether a policy of this scope asks a member for single sign-on: an address that the account has or had lies in a domain of the
-- organization, or the account has an identity there. Nobody is freed by changing the email or by a domain that lapsed.
CREATE FUNCTION is_asked_for_sso(of_organization_id uuid, of_user_id uuid, scope text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN scope = 'everyone' OR scope = 'domains' AND (EXISTS (
    SELECT FROM account_emails e JOIN organization_domains d ON d.organization_id = of_organization_id
      AND d.domain = split_part(e.email, '@', 2) AND d.status IN ('VERIFIED', 'LAPSED')
    WHERE e.user_id = of_user_id
  ) OR EXISTS (
    SELECT FROM sso_identities i JOIN sso_connections c ON c.id = i.connection_id AND NOT c.is_deleted
    WHERE i.user_id = of_user_id AND c.organization_id = of_organization_id
  ));
END $$;

CREATE FUNCTION is_break_glass(of_organization_id uuid, of_user_id uuid) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM break_glass_members b WHERE b.organization_id = of_organization_id AND b.user_id = of_user_id);

-- Whether the policy in effect binds a person, as a member, to single sign-on. Break-glass members are not bound.
CREATE FUNCTION is_bound_to_sso(of_organization_id uuid, of_user_id uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT COALESCE((
    SELECT is_asked_for_sso(of_organization_id, of_user_id, p.scope) AND NOT is_break_glass(of_organization_id, of_user_id)
    FROM sign_on_policy p WHERE p.organization_id = of_organization_id), false)
$$;

-- Why a member could not act under such a policy: no second factor, no identity, or an address by which none can be had.
CREATE FUNCTION sign_on_obstacles(of_organization_id uuid, of_user_id uuid, scope text, two_factor boolean) RETURNS text[]
LANGUAGE plpgsql STABLE AS $$
DECLARE
  is_linked boolean := EXISTS (
    SELECT FROM sso_identities i JOIN sso_connections c ON c.id = i.connection_id
    WHERE i.user_id = of_user_id AND c.organization_id = of_organization_id AND c.status = 'ENABLED' AND NOT c.is_deleted);
  is_trusted boolean := is_linked AND EXISTS (
    SELECT FROM sso_identities i JOIN sso_connections c ON c.id = i.connection_id
    WHERE i.user_id = of_user_id AND c.organization_id = of_organization_id AND c.status = 'ENABLED' AND NOT c.is_deleted
      AND c.second_factor = 'trusted');
  is_inside boolean := EXISTS (
    SELECT FROM users u JOIN organization_domains d ON d.organization_id = of_organization_id
      AND d.domain = split_part(u.email, '@', 2) AND d.status = 'VERIFIED'
    WHERE u.id = of_user_id);
BEGIN
  RETURN array_remove(ARRAY[
    CASE WHEN NOT is_linked AND is_asked_for_sso(of_organization_id, of_user_id, scope)
      AND NOT is_break_glass(of_organization_id, of_user_id)
      THEN CASE WHEN is_inside THEN 'no-identity' ELSE 'outside-domains' END END,
    CASE WHEN two_factor AND NOT is_trusted AND NOT has_second_factor(of_user_id) THEN 'no-second-factor' END], NULL);
END $$;

-- Whether a verified domain of a connection is that of the account's address.
CREATE FUNCTION connection_has_domain_of(of_connection_id uuid, of_user_id uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM users u JOIN organization_domains d ON d.domain = split_part(u.email, '@', 2)
    WHERE u.id = of_user_id AND d.connection_id = of_connection_id AND d.status = 'VERIFIED');
END $$;

CREATE TYPE session_in_organization AS (blocked_by text, claims jsonb, ends_at timestamptz, breaks_glass boolean);

-- Whether a session with these proofs may act in an organization of its user (rules 38), and what its token then says.
-- - blocked_by: null, or the code of what is missing
-- - claims: time, factors and methods of the proofs that count in this organization
-- - ends_at: until when the proofs that are needed count; null if they count for ever
-- - breaks_glass: a break-glass member acts by own proofs although the policy asks for single sign-on
-- sso_hours: for how many hours a proof by a connection counts where the policy says nothing; null if single sign-on is off.
CREATE FUNCTION session_in_organization(of_user_id uuid, of_organization_id uuid, proof jsonb, sso_hours integer)
RETURNS session_in_organization LANGUAGE plpgsql STABLE AS $$
DECLARE
  act session_in_organization;
  policy sign_on_policy;
  shown jsonb := proof -> 'sso' -> of_organization_id::text;
  own_at timestamptz := to_timestamp((proof ->> 'auth_time')::bigint);
  sso_at timestamptz := to_timestamp((shown ->> 'at')::numeric);
  own_until timestamptz;
  sso_until timestamptz;
  factor_until timestamptz;
  is_asked boolean;
  is_bound boolean;
BEGIN
  act.breaks_glass := false;
  act.claims := proof - 'sso';
  IF sso_hours IS NULL THEN
    act.blocked_by := CASE WHEN own_at IS NULL THEN 'SSO_REQUIRED' END;
    RETURN act;
  END IF;
  SELECT p.* INTO policy FROM sign_on_policy p WHERE p.organization_id = of_organization_id;
  is_asked := policy.scope <> 'off' AND is_asked_for_sso(of_organization_id, of_user_id, policy.scope) IS TRUE;
  is_bound := is_asked AND NOT is_break_glass(of_organization_id, of_user_id);
  own_until := COALESCE(own_at + make_interval(hours => policy.max_session_hours), CASE WHEN own_at IS NOT NULL THEN 'infinity'::timestamptz END);
  IF EXISTS (
    SELECT FROM sso_connections c JOIN sso_identities i ON i.connection_id = c.id AND i.user_id = of_user_id AND i.linked_at <= sso_at
    WHERE c.id = (shown ->> 'connection')::uuid AND c.status = 'ENABLED' AND NOT c.is_deleted
  ) THEN
    sso_until := sso_at + make_interval(hours => COALESCE(policy.max_session_hours, sso_hours));
  END IF;
  IF sso_until > now() THEN
    act.claims := jsonb_build_object(
      'auth_time', GREATEST((proof ->> 'auth_time')::bigint, floor((shown ->> 'at')::numeric)::bigint),
      'acr', GREATEST(proof ->> 'acr', shown ->> 'factors'),
      'amr', CASE WHEN shown ->> 'factors' = '2' AND NOT COALESCE(proof -> 'amr' ? 'mfa', false)
        THEN COALESCE(proof -> 'amr', '[]') || '["mfa"]' ELSE COALESCE(proof -> 'amr', '[]') END);
  ELSE
    sso_until := NULL;
  END IF;
  act.ends_at := GREATEST(CASE WHEN NOT is_bound AND own_until > now() THEN own_until END, sso_until);
  IF act.ends_at IS NULL THEN
    act.blocked_by := CASE WHEN own_at IS NULL OR is_bound THEN 'SSO_REQUIRED' ELSE 'REAUTHENTICATION_REQUIRED' END;
  ELSIF policy.require_two_factor THEN
    factor_until := CASE WHEN proof ->> 'acr' = '2' THEN 'infinity'::timestamptz WHEN shown ->> 'factors' = '2' THEN sso_until END;
    IF factor_until IS NULL THEN
      act.blocked_by := CASE WHEN has_second_factor(of_user_id) THEN 'REAUTHENTICATION_REQUIRED' ELSE 'TWO_FACTOR_REQUIRED' END;
    END IF;
    act.ends_at := LEAST(act.ends_at, factor_until);
  END IF;
  act.ends_at := NULLIF(act.ends_at, 'infinity');
  act.breaks_glass := is_asked AND act.blocked_by IS NULL AND sso_until IS NULL;
  RETURN act;
END $$;

CREATE FUNCTION has_second_factor(of_user_id uuid) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM users u WHERE u.id = of_user_id AND u.two_factor_enabled_at IS NOT NULL)
  OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = of_user_id AND p.blocked_at IS NULL);

-- Whether session_in_organization has to be asked: not where there is no policy and only the account's own proof.
CREATE FUNCTION asks_for_proof(of_organization_id uuid, proof jsonb, sso_hours integer) RETURNS boolean LANGUAGE sql STABLE
RETURN NOT proof ? 'auth_time' OR (sso_hours IS NOT NULL
  AND (proof ? 'sso' OR EXISTS (SELECT FROM sign_on_policies p WHERE p.organization_id = of_organization_id)));

-- Returns the organization in which a session with these proofs acts, the grants there, and what the proofs say there. The preferred
-- organization, otherwise that of the oldest membership in which the session may act. The condition is that of asks_for_proof: it stands
-- here and in a CASE, because a refresh must not pay for functions that it does not need. OFFSET 0 keeps it from being evaluated twice.
CREATE FUNCTION active_organization_grants(of_user_id uuid, preferred_id uuid, proof jsonb, sso_hours integer)
RETURNS TABLE (organization_id uuid, organization_name text, organization_slug text,
  role_name text, permissions text[], unit_id uuid, assignment_id uuid, claims jsonb, ends_at timestamptz, breaks_glass boolean)
LANGUAGE sql STABLE AS $$
  SELECT home.organization_id, home.name, home.slug, r.name, r.permissions, a.unit_id, a.id,
    (home.act).claims, (home.act).ends_at, (home.act).breaks_glass
  FROM (
    SELECT tried.* FROM (
      SELECT place.*, CASE WHEN NOT proof ? 'auth_time' OR sso_hours IS NOT NULL AND (proof ? 'sso'
          OR EXISTS (SELECT FROM sign_on_policies p WHERE p.organization_id = place.organization_id))
        THEN session_in_organization(of_user_id, place.organization_id, proof, sso_hours) END AS act
      FROM (
        SELECT m.id, m.organization_id, m.joined_at, o.name, o.slug, m.organization_id = preferred_id AS is_preferred
        FROM memberships m JOIN organizations o ON o.id = m.organization_id
        WHERE m.user_id = of_user_id AND NOT m.is_deleted AND o.status = 'ACTIVE' AND NOT o.is_deleted
        ORDER BY is_preferred DESC NULLS LAST, m.joined_at, m.id OFFSET 0
      ) place OFFSET 0
    ) tried
    WHERE (tried.act).blocked_by IS NULL
    ORDER BY tried.is_preferred DESC NULLS LAST, tried.joined_at, tried.id
    LIMIT 1
  ) home
  LEFT JOIN (
    membership_assignments a
    JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
    LEFT JOIN units u ON u.id = a.unit_id
  ) ON a.membership_id = home.id AND u.is_deleted IS NOT TRUE
$$;

-- Like the function of two arguments, for the session of this token. `claims` says what its proofs are in the organization of the session
-- or, without one, what the account's own proofs are.
CREATE FUNCTION session_grants(of_user_id uuid, preferred_id uuid, of_token_id uuid, sso_hours integer)
RETURNS TABLE (is_platform_admin boolean, has_two_factor boolean, organization_id uuid, organization_name text,
  organization_slug text, role_name text, permissions text[], unit_id uuid, assignment_id uuid, claims jsonb, ends_at timestamptz, breaks_glass boolean)
LANGUAGE sql VOLATILE AS $$
  SELECT u.is_platform_admin, u.two_factor_enabled_at IS NOT NULL, active.organization_id, active.organization_name,
    active.organization_slug, active.role_name, active.permissions, active.unit_id, active.assignment_id,
    COALESCE(active.claims, t.proof - 'sso'), active.ends_at, active.breaks_glass
  FROM users u JOIN refresh_tokens t ON t.id = of_token_id
  LEFT JOIN LATERAL active_organization_grants(u.id, COALESCE(preferred_id, u.last_organization_id), t.proof, sso_hours) active
    ON NOT u.is_platform_admin
  WHERE u.id = of_user_id AND NOT u.is_deleted
$$;

-- For the previous version of the service, which knows no proofs by connections: a user who has one gets no organization from it.
CREATE OR REPLACE FUNCTION session_grants(of_user_id uuid, preferred_id uuid)
RETURNS TABLE (is_platform_admin boolean, has_two_factor boolean, organization_id uuid, organization_name text,
  organization_slug text, role_name text, permissions text[], unit_id uuid, assignment_id uuid)
LANGUAGE sql VOLATILE AS $$
  SELECT u.is_platform_admin, u.two_factor_enabled_at IS NOT NULL, active.*
  FROM users u LEFT JOIN LATERAL active_organization_grants(u.id, COALESCE(preferred_id, u.last_organization_id)) active
    ON NOT u.is_platform_admin AND NOT EXISTS (SELECT FROM session_proofs p WHERE p.user_id = u.id AND p.kind = 'sso')
  WHERE u.id = of_user_id AND NOT u.is_deleted
$$;

-- Whether a role was given by hand, or by a group of a connection.
ALTER TABLE membership_assignments ADD COLUMN source text NOT NULL DEFAULT 'manual'
  CONSTRAINT membership_assignments_source_known CHECK (source IN ('manual', 'sso'));
ALTER TABLE membership_assignments ADD COLUMN connection_id uuid REFERENCES sso_connections (id);
ALTER TABLE membership_assignments ADD CONSTRAINT membership_assignments_source_of_connection
  CHECK ((source = 'sso') = (connection_id IS NOT NULL));
-- The previous version names this constraint, so it keeps its name.
ALTER TABLE membership_assignments DROP CONSTRAINT membership_assignments_unique;
ALTER TABLE membership_assignments ADD CONSTRAINT membership_assignments_unique
  UNIQUE NULLS NOT DISTINCT (membership_id, role_id, unit_id, source, connection_id);
CREATE INDEX membership_assignments_connection ON membership_assignments (connection_id) WHERE connection_id IS NOT NULL;

-- How the membership ended; null if it ended before this column was there, which counts as a removal.
ALTER TABLE memberships ADD COLUMN ended_as text CONSTRAINT memberships_ended_as_known CHECK (ended_as IN ('left', 'removed', 'expired'));

-- A sign-in by a connection that waits for the second factor: what the provider said, encrypted.
ALTER TABLE two_factor_challenges ADD COLUMN connection_id uuid REFERENCES sso_connections (id);
ALTER TABLE two_factor_challenges ADD COLUMN sso text;
CREATE INDEX two_factor_challenges_connection ON two_factor_challenges (connection_id) WHERE connection_id IS NOT NULL;
ALTER TABLE two_factor_challenges DROP CONSTRAINT two_factor_challenges_first_factor_known;
ALTER TABLE two_factor_challenges ADD CONSTRAINT two_factor_challenges_first_factor_known
  CHECK (first_factor IN ('password', 'provider', 'sso'));

ALTER TABLE organization_domains ADD CONSTRAINT organization_domains_of_connection
  FOREIGN KEY (connection_id) REFERENCES sso_connections (id);

-- Connections whose provider keeps failing, for the job that tells their administrators.
CREATE INDEX sso_connections_failing ON sso_connections (failing_since) WHERE failures >= 5 AND NOT is_deleted;

-- Connections as the API returns them.
CREATE VIEW connections_with_details AS
SELECT c.*, creator.email AS created_by_email,
  (SELECT json_agg(json_build_array(a.role_id, r.name, a.unit_id, u.name)
      ORDER BY a.unit_id IS NOT NULL, r.name COLLATE natural_order, u.name COLLATE natural_order, a.role_id)
    FROM sso_connection_assignments a JOIN roles r ON r.id = a.role_id LEFT JOIN units u ON u.id = a.unit_id
    WHERE a.connection_id = c.id) AS assignments,
  (SELECT json_agg(json_build_array(d.id, d.domain) ORDER BY d.domain COLLATE "C")
    FROM organization_domains d WHERE d.connection_id = c.id) AS domains,
  (SELECT count(*)::int FROM sso_identities i WHERE i.connection_id = c.id) AS identity_count,
  (SELECT count(*)::int FROM sso_mappings m WHERE m.connection_id = c.id) AS mapping_count
FROM sso_connections c LEFT JOIN users creator ON creator.id = c.created_by_id AND NOT creator.is_deleted
WHERE NOT c.is_deleted;

-- Identities with what the lists of people search and sort by.
CREATE VIEW identities_of_members AS
SELECT i.*, c.organization_id, m.search_text, m.sort_email
FROM sso_identities i
JOIN sso_connections c ON c.id = i.connection_id AND NOT c.is_deleted
JOIN memberships m ON m.organization_id = c.organization_id AND m.user_id = i.user_id AND NOT m.is_deleted;

-- The groups of the last sign-ins by each connection, with how many people and mappings each has.
CREATE VIEW groups_of_connections AS
SELECT i.connection_id, seen.group_name, count(*)::int AS people,
  (SELECT count(*)::int FROM sso_mappings m WHERE m.connection_id = i.connection_id AND m.group_name = seen.group_name) AS mappings
FROM sso_identities i, unnest(i.groups) AS seen (group_name)
GROUP BY i.connection_id, seen.group_name;

-- Addresses in events of sign-on: of refused sign-ins and of setup links, also in what was done by such a link.
CREATE INDEX audit_events_sign_on_emails ON audit_events ((metadata ->> 'email'))
  WHERE action IN ('SSO_SIGN_IN_FAILED', 'SETUP_LINK_CREATED', 'SETUP_LINK_FINISHED', 'SETUP_LINK_REVOKED');
CREATE INDEX audit_events_setup_emails ON audit_events ((metadata ->> 'setupEmail')) WHERE metadata ? 'setupEmail';
CREATE INDEX sign_on_setup_links_email ON sign_on_setup_links (email);

-- Finds notifications that contain an email.
CREATE INDEX notifications_naming ON notifications USING gin (jsonb_path_query_array(data, '$.*'))
  WHERE is_product OR data ? 'email' OR type IN ('EMAIL_CHANGED', 'EMAIL_CHANGE_REQUESTED');
DROP INDEX notifications_about_joiner;

-- Finds audit events of the product that contain an email.
CREATE INDEX audit_events_product_values ON audit_events USING gin (jsonb_path_query_array(metadata, '$.*')) WHERE is_product;

-- Like the function of 0018_pseudonyms.sql, and also where setup links and refused sign-ins by a connection name an address, in all notifications,
-- and in audit events of the product by anybody.
CREATE OR REPLACE FUNCTION pseudonymise_deleted_account(account_id uuid, days integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  account users;
  emails text[];
  one text;
  pseudonym text := pseudonym_of(account_id);
  invitations uuid[];
  renamed uuid[];
BEGIN
  IF days < 2 THEN RAISE EXCEPTION 'An account keeps its name for two days at least'; END IF;
  SELECT * INTO account FROM users
  WHERE id = account_id AND is_deleted AND pseudonymised_at IS NULL AND deleted_at < now() - make_interval(days => days)
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  emails := emails_of_account(account_id);

  -- The service refuses addresses of .invalid, so no account should have the pseudonym as its email. If one does, no mail ever reached it.
  UPDATE users SET email = 'moved-' || gen_random_uuid() || '@deleted.invalid' WHERE email = pseudonym AND id <> account_id;

  WITH theirs AS (
    UPDATE user_invitations SET email = pseudonym WHERE email = ANY (emails) RETURNING id
  ) SELECT array_agg(id) INTO invitations FROM theirs;
  UPDATE user_invitation_sends SET email = NULL WHERE email = ANY (emails);
  UPDATE sign_on_setup_links SET email = pseudonym WHERE email = ANY (emails);

  -- An event that contains an email is about the account, about an invitation of it, about a sign-in with it, or of the product.
  PERFORM set_config('service.pseudonymised', account_id::text, true);
  WITH replaced AS (
    UPDATE audit_events SET metadata = with_pseudonyms(metadata, emails, pseudonym)
    WHERE (actor_id = account_id OR target_id = account_id OR target_id = ANY (invitations)
      OR (action = 'LOGIN_FAILED' AND target_id IS NULL AND metadata ->> 'email' = ANY (emails))
      OR (action IN ('SSO_SIGN_IN_FAILED', 'SETUP_LINK_CREATED', 'SETUP_LINK_FINISHED', 'SETUP_LINK_REVOKED') AND metadata ->> 'email' = ANY (emails))
      OR (metadata ? 'setupEmail' AND metadata ->> 'setupEmail' = ANY (emails))
      OR (is_product AND jsonb_path_query_array(metadata, '$.*') ?| emails))
      AND EXISTS (SELECT FROM unnest(emails) each WHERE strpos(metadata::text, to_json(each)::text) > 0)
      AND metadata <> with_pseudonyms(metadata, emails, pseudonym)
    RETURNING audit_events.id, old.metadata AS before
  ), read AS (
    SELECT id, replaced_emails(before, emails, pseudonym) AS digests FROM replaced
  )
  INSERT INTO audit_pseudonyms (event_id, user_id, typed, emails)
  SELECT id, account_id,
    ARRAY(SELECT place::integer FROM unnest(digests) WITH ORDINALITY AS at (digest, place) WHERE digest IS NULL ORDER BY place), digests
  FROM read
  ON CONFLICT ON CONSTRAINT audit_pseudonyms_pkey DO NOTHING;
  PERFORM set_config('service.pseudonymised', '', true);

  UPDATE notifications SET data = with_pseudonyms(data, emails, pseudonym)
  WHERE (is_product OR data ? 'email' OR type IN ('EMAIL_CHANGED', 'EMAIL_CHANGE_REQUESTED'))
    AND jsonb_path_query_array(data, '$.*') ?| emails;

  -- Texts that people wrote, if they contain an email or the full name.
  WITH theirs AS (
    UPDATE tickets SET subject = left(without_traces_of(subject, emails, account.first_name, account.last_name, pseudonym), 200)
    WHERE reporter_id = account_id
      AND subject <> without_traces_of(subject, emails, account.first_name, account.last_name, pseudonym)
    RETURNING id
  ) SELECT array_agg(id::text) INTO renamed FROM theirs;
  UPDATE ticket_messages SET body = without_traces_of(body, emails, account.first_name, account.last_name, pseudonym)
  WHERE (author_id = account_id OR ticket_id IN (SELECT id FROM tickets WHERE reporter_id = account_id))
    AND body <> without_traces_of(body, emails, account.first_name, account.last_name, pseudonym);
  IF renamed IS NOT NULL THEN
    UPDATE notifications SET data = jsonb_set(data, '{subject}', to_jsonb(t.subject))
    FROM tickets t WHERE data ? 'subject' AND data ->> 'ticketId' = ANY (renamed::text[]) AND t.id::text = data ->> 'ticketId';
  END IF;

  FOREACH one IN ARRAY emails LOOP
    PERFORM pg_advisory_xact_lock(hashtext('retired email'), retired_email_lock(one));
    INSERT INTO retired_emails (digest, user_id) VALUES (digest_of_email(one), account_id) ON CONFLICT (digest) DO NOTHING;
  END LOOP;
  DELETE FROM account_emails WHERE user_id = account_id;
  -- The rows stay, because the verification of the audit log needs the number of emails that the account had.
  UPDATE email_changes SET old_email = encode(digest_of_email(old_email), 'hex'), new_email = encode(digest_of_email(new_email), 'hex')
  WHERE user_id = account_id;
  UPDATE users SET email = pseudonym, first_name = 'Deleted', last_name = 'Account', password_hash = NULL,
    pending_organization_name = NULL, pseudonymised_at = now()
  WHERE id = account_id;
  RETURN true;
END $$;

-- Returns a part of an event's data with another name, if it names the account: an account by `id` or `userId`, and its name beside it.
CREATE FUNCTION with_pseudonym_names(part jsonb, account_id uuid) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN part ? 'firstName' AND account_id::text IN (part ->> 'userId', part ->> 'id')
  THEN part || '{"firstName": "Deleted", "lastName": "Account"}' ELSE part END;

-- Like the function of 0022_product_feed.sql, and also where the object of an event names a person as its member.
CREATE OR REPLACE FUNCTION pseudonymise_event_data(data jsonb, account users, emails text[], pseudonym text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  result jsonb := with_pseudonyms(data, emails, pseudonym);
  object jsonb := with_pseudonym_names(result -> 'object', account.id);
  place text;
BEGIN
  IF jsonb_typeof(object) IS DISTINCT FROM 'object' THEN RETURN result; END IF;
  IF object <> result -> 'object' AND result -> 'previous' ?| '{firstName,lastName}' THEN result := result - 'previous'; END IF;
  FOREACH place IN ARRAY '{member,reporter}'::text[] LOOP
    IF jsonb_typeof(object -> place) = 'object' THEN
      object := jsonb_set(object, ARRAY[place], with_pseudonym_names(object -> place, account.id));
    END IF;
  END LOOP;
  -- A product may report an object with a reporter and without a subject. NULL would stop the pseudonym of the account.
  IF object -> 'reporter' ->> 'id' = account.id::text AND jsonb_typeof(object -> 'subject') = 'string' THEN
    object := jsonb_set(object, '{subject}', to_jsonb(left(without_traces_of(object ->> 'subject', emails,
      account.first_name, account.last_name, pseudonym), 200)));
  END IF;
  RETURN jsonb_set(result, '{object}', object);
END $$;
