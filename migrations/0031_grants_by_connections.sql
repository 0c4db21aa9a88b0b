-- A connected app that was approved in a session proven by a connection remembers it (rules 46.50): while the policy of the organization binds the
-- person to single sign-on, only such apps work, and they end with the identity.
ALTER TABLE oauth_grants ADD COLUMN connection_id uuid REFERENCES sso_connections (id);
CREATE INDEX oauth_grants_connection ON oauth_grants (connection_id, user_id) WHERE ended_at IS NULL AND connection_id IS NOT NULL;

-- With the new column.
DROP VIEW usable_oauth_grants;
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

-- Whether a usable grant works: app_is_covered covers its app, and the policy does not ask its person for another way to act. `operator` also
-- says whether single sign-on is on (`sso`); otherwise policies have no effect.
CREATE FUNCTION app_works(g usable_oauth_grants, operator jsonb) RETURNS boolean LANGUAGE sql STABLE
RETURN app_is_covered(g.organization_id, g.connected_apps, g.client_id, g.client_host, g.oauth_client_id, g.client_organization_id, operator)
  AND (g.connection_id IS NOT NULL OR NOT (operator -> 'sso')::boolean OR NOT is_bound_to_sso(g.organization_id, g.user_id));
