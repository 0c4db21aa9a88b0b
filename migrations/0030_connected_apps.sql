-- Connected apps: what people allowed apps to do for them in one organization (rules 46). The service is an OAuth 2.1 authorization server over
-- these rows. Tokens, codes and secrets are stored as SHA-256 digests.

-- Apps that the operator (no organization) or an organization registered. Others are described by a document at their client id.
CREATE TABLE oauth_clients (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid REFERENCES organizations (id),
  name text NOT NULL,
  redirect_uris text[] NOT NULL,
  is_confidential boolean NOT NULL,
  secret_hash text,
  previous_secret_hash text,
  previous_secret_ends_at timestamptz(3),
  is_enabled boolean NOT NULL DEFAULT true,
  created_by_id uuid REFERENCES users (id),
  is_deleted boolean NOT NULL DEFAULT false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT oauth_clients_secret_of_confidential CHECK (is_confidential = (secret_hash IS NOT NULL)),
  CONSTRAINT oauth_clients_previous_secret_whole CHECK ((previous_secret_hash IS NULL) = (previous_secret_ends_at IS NULL))
);

CREATE INDEX oauth_clients_list ON oauth_clients (organization_id, created_at, id) WHERE NOT is_deleted;
CREATE INDEX oauth_clients_creator ON oauth_clients (created_by_id) WHERE created_by_id IS NOT NULL;

-- What the documents of client ids said when they were last read.
CREATE TABLE oauth_client_documents (
  url text PRIMARY KEY,
  name text,
  redirect_uris text[],
  fetched_at timestamptz(3),
  fresh_until timestamptz(3),
  failed_until timestamptz(3),
  last_requested_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX oauth_client_documents_requested ON oauth_client_documents (last_requested_at);

-- The hosts and client ids that an organization approved.
CREATE TABLE oauth_approved_apps (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  app text NOT NULL,
  created_by_id uuid REFERENCES users (id),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT oauth_approved_apps_unique UNIQUE (organization_id, app)
);

CREATE INDEX oauth_approved_apps_creator ON oauth_approved_apps (created_by_id) WHERE created_by_id IS NOT NULL;

-- Which apps members may connect; null: what the operator configured.
ALTER TABLE organizations ADD COLUMN connected_apps text
  CONSTRAINT organizations_connected_apps_known CHECK (connected_apps IN ('off', 'approved', 'any'));

-- What one person allowed one app.
CREATE TABLE oauth_grants (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users (id),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  -- Null: the whole organization.
  unit_id uuid,
  -- The address of the app's document, or the id of a registered one.
  client_id text NOT NULL,
  oauth_client_id uuid REFERENCES oauth_clients (id),
  client_name text NOT NULL,
  -- The host of the document's address; null for a registered app.
  client_host text,
  redirect_uri text NOT NULL,
  resource text NOT NULL CONSTRAINT oauth_grants_resource_known CHECK (resource IN ('mcp', 'api')),
  scopes text[] NOT NULL,
  -- The `acr` of the session that approved.
  acr text NOT NULL CONSTRAINT oauth_grants_acr_known CHECK (acr IN ('1', '2')),
  -- The id of the request that was approved: it is approved once.
  request_id uuid NOT NULL CONSTRAINT oauth_grants_request UNIQUE,
  redeemed_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  last_used_ip text,
  ended_at timestamptz(3),
  end_reason text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The connection by whose proof the session acted in the organization when it approved: the grant ends with the identity (rules 46.50).
  connection_id uuid REFERENCES sso_connections (id),
  CONSTRAINT oauth_grants_end_whole CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
  CONSTRAINT oauth_grants_unit_of_organization FOREIGN KEY (organization_id, unit_id) REFERENCES units (organization_id, id)
);

-- Ended or not: for lists, the export and the deletion of the account.
CREATE INDEX oauth_grants_user ON oauth_grants (user_id, created_at, id);
CREATE INDEX oauth_grants_organization ON oauth_grants (organization_id, created_at, id) WHERE ended_at IS NULL;
CREATE INDEX oauth_grants_client ON oauth_grants (oauth_client_id) WHERE ended_at IS NULL;
CREATE INDEX oauth_grants_unit ON oauth_grants (unit_id) WHERE ended_at IS NULL;
CREATE INDEX oauth_grants_ended ON oauth_grants (ended_at) WHERE ended_at IS NOT NULL;
-- The grants that a daily job deletes although nobody ended them: they expired, or were never redeemed.
CREATE INDEX oauth_grants_expiry ON oauth_grants (expires_at) WHERE ended_at IS NULL;
CREATE INDEX oauth_grants_unredeemed ON oauth_grants (created_at) WHERE redeemed_at IS NULL AND ended_at IS NULL;
CREATE INDEX oauth_grants_connection ON oauth_grants (connection_id, user_id) WHERE ended_at IS NULL AND connection_id IS NOT NULL;

CREATE TABLE oauth_codes (
  token_hash text PRIMARY KEY,
  grant_id uuid NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  code_challenge text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  spent_at timestamptz(3)
);

CREATE INDEX oauth_codes_grant ON oauth_codes (grant_id);
CREATE INDEX oauth_codes_expiry ON oauth_codes (expires_at);

CREATE TABLE oauth_tokens (
  token_hash text PRIMARY KEY,
  grant_id uuid NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  kind text NOT NULL CONSTRAINT oauth_tokens_kind_known CHECK (kind IN ('access', 'refresh')),
  -- To what an access token was narrowed; null: the grant's.
  scopes text[],
  expires_at timestamptz(3) NOT NULL,
  rotated_at timestamptz(3),
  -- The refresh token that this one replaced.
  previous_hash text,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- At most one refresh token of a grant is unrotated.
CREATE UNIQUE INDEX oauth_tokens_one_unrotated ON oauth_tokens (grant_id) WHERE kind = 'refresh' AND rotated_at IS NULL;
CREATE INDEX oauth_tokens_grant ON oauth_tokens (grant_id);
CREATE INDEX oauth_tokens_previous ON oauth_tokens (previous_hash);
CREATE INDEX oauth_tokens_expiry ON oauth_tokens (expires_at);

-- Grants that work, as far as rows say it: whether the operator's configuration and the organization's policy cover the app, app_is_covered says.
-- Suspending an organization does not end its grants.
CREATE VIEW usable_oauth_grants AS
SELECT g.*, o.name AS organization_name, o.slug AS organization_slug, o.status AS organization_status, o.connected_apps,
  unit.name AS unit_name, c.organization_id AS client_organization_id, m.id AS membership_id,
  LEAST(g.expires_at, GREATEST(g.last_used_at, g.redeemed_at) + interval '30 days') AS ends_at
FROM oauth_grants g
JOIN users u ON u.id = g.user_id AND NOT u.is_deleted AND u.email_verified_at IS NOT NULL AND NOT u.is_platform_admin
JOIN organizations o ON o.id = g.organization_id AND NOT o.is_deleted
JOIN memberships m ON m.user_id = g.user_id AND m.organization_id = g.organization_id AND NOT m.is_deleted
LEFT JOIN units unit ON unit.id = g.unit_id
LEFT JOIN oauth_clients c ON c.id = g.oauth_client_id
WHERE g.ended_at IS NULL AND g.redeemed_at IS NOT NULL AND g.expires_at > now()
  AND GREATEST(g.last_used_at, g.redeemed_at) > now() - interval '30 days'
  AND unit.is_deleted IS NOT TRUE
  AND (g.oauth_client_id IS NULL OR c.is_enabled AND NOT c.is_deleted);

-- Whether members of an organization may connect an app. `operator` is what the operator configured: `apps` (the policy of organizations that
-- chose none), `approved` and `blocked` (hosts and client ids). A registered app of another organization never is covered.
CREATE FUNCTION app_is_covered(of_organization_id uuid, policy text, client_id text, client_host text,
  oauth_client_id uuid, client_organization_id uuid, operator jsonb)
RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN NOT operator->'blocked' ? client_id AND (client_host IS NULL OR NOT operator->'blocked' ? client_host)
  AND (client_organization_id IS NULL OR client_organization_id = of_organization_id)
  AND CASE COALESCE(policy, operator->>'apps')
    WHEN 'any' THEN true
    WHEN 'approved' THEN oauth_client_id IS NOT NULL OR operator->'approved' ? client_id
      OR client_host IS NOT NULL AND operator->'approved' ? client_host
      OR EXISTS (SELECT FROM oauth_approved_apps a WHERE a.organization_id = of_organization_id AND a.app IN (client_id, client_host))
    ELSE false END;

-- Whether a usable grant works: app_is_covered covers its app, and the policy does not ask its person for another way to act. `operator` also
-- says whether single sign-on is on (`sso`); otherwise policies have no effect.
CREATE FUNCTION app_works(g usable_oauth_grants, operator jsonb) RETURNS boolean LANGUAGE sql STABLE
RETURN app_is_covered(g.organization_id, g.connected_apps, g.client_id, g.client_host, g.oauth_client_id, g.client_organization_id, operator)
  AND (g.connection_id IS NOT NULL OR NOT (operator -> 'sso')::boolean OR NOT is_bound_to_sso(g.organization_id, g.user_id));

-- Returns what the person of a grant holds now in its organization, by role: with a unit, in it and below. What is held in the whole
-- organization or in a unit above counts at the unit; what is held below stays there.
CREATE FUNCTION oauth_grant_permissions(of_membership_id uuid, of_unit_id uuid)
RETURNS TABLE (role_name text, permissions text[], unit_id uuid, assignment_id uuid)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT r.name, r.permissions,
    CASE WHEN of_unit_id IS NULL THEN a.unit_id
      WHEN a.unit_id IS NULL OR a.unit_id IN (SELECT ancestor_id FROM unit_ancestors(ARRAY[of_unit_id])) THEN of_unit_id
      ELSE a.unit_id END,
    a.id
  FROM membership_assignments a
  JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
  LEFT JOIN units u ON u.id = a.unit_id
  WHERE a.membership_id = of_membership_id AND u.is_deleted IS NOT TRUE
    AND (of_unit_id IS NULL OR a.unit_id IS NULL
      OR a.unit_id IN (SELECT ancestor_id FROM unit_ancestors(ARRAY[of_unit_id]))
      OR of_unit_id IN (SELECT ancestor_id FROM unit_ancestors(ARRAY[a.unit_id])))
$$;

-- The app by which something was done, beside the person who is its actor.
ALTER TABLE audit_events ADD COLUMN client_id text, ADD COLUMN client_name text, ADD COLUMN grant_id uuid;
CREATE INDEX audit_events_grant ON audit_events (organization_id, grant_id, time DESC, id DESC) WHERE grant_id IS NOT NULL;
ALTER TABLE event_outbox ADD COLUMN client_id text, ADD COLUMN client_name text;
ALTER TABLE events ADD COLUMN client_id text, ADD COLUMN client_name text;
ALTER TABLE ticket_messages ADD COLUMN client_name text;
