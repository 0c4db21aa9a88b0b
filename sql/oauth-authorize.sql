/* Authorization requests of apps, and the decisions of people about them (rules 46.1 to 46.9). */

/* @name findRegisteredClient */
SELECT id, name, redirect_uris, organization_id FROM oauth_clients WHERE id = :id! AND is_enabled AND NOT is_deleted;

/* Keeps a registered app from being deleted or disabled until the commit. Returns no row if it was. */
/* @name lockRegisteredClient */
SELECT id FROM oauth_clients WHERE id = :id! AND is_enabled AND NOT is_deleted FOR SHARE;

/* Lists the organizations of a person by name, or one of them, with why an app cannot be approved there (null: it can), and what
   the person holds there. A session that only lacks a recent proof can show one. */
/* @name listOrganizationsForApp */
SELECT m.id AS membership_id, o.id, o.name, CASE
    WHEN NOT app_is_covered(o.id, o.connected_apps, :clientId!, :clientHost, :oauthClientId::uuid, :clientOrganizationId::uuid, :operator!::jsonb)
    THEN CASE WHEN :clientOrganizationId <> o.id THEN 'other-organization'
      WHEN COALESCE(o.connected_apps, :operator::jsonb ->> 'apps') = 'off' THEN 'off'
      ELSE 'not-approved' END
    WHEN o.status = 'SUSPENDED' THEN 'suspended'
    WHEN @blocked_by(m.user_id, o.id, token.proof) IN ('SSO_REQUIRED', 'TWO_FACTOR_REQUIRED') THEN 'session' END AS "reason?",
  held.everywhere AS "held_everywhere!", held.in_units AS "held_in_units!"
FROM memberships m
JOIN organizations o ON o.id = m.organization_id AND NOT o.is_deleted
LEFT JOIN refresh_tokens token ON token.session_id = :sessionId! AND token.user_id = m.user_id AND token.revoked_at IS NULL AND token.expires_at > now()
CROSS JOIN LATERAL (
  SELECT COALESCE(array_agg(DISTINCT permission) FILTER (WHERE a.unit_id IS NULL), '{}') AS everywhere,
    COALESCE(array_agg(DISTINCT permission) FILTER (WHERE a.unit_id IS NOT NULL), '{}') AS in_units
  FROM membership_assignments a
  JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
  LEFT JOIN units u ON u.id = a.unit_id
  CROSS JOIN LATERAL unnest(r.permissions) AS permission
  WHERE a.membership_id = m.id AND u.is_deleted IS NOT TRUE
) held
WHERE m.user_id = :userId! AND NOT m.is_deleted AND (:organizationId::uuid IS NULL OR o.id = :organizationId)
ORDER BY o.search_name COLLATE natural_order, o.id;

/* Lists the units of an organization, siblings by name, with whether they match a search and whether the member was granted one of
   these permissions exactly there or in the whole organization. */
/* @name listUnitsForApp */
SELECT u.id, u.parent_id, u.name, (:search::text IS NULL OR u.search_name LIKE search_pattern(:search)) AS "matches!",
  (given.everywhere OR u.id = ANY (given.units)) AS "is_granted!"
FROM units u CROSS JOIN (
  SELECT COALESCE(bool_or(a.unit_id IS NULL), false) AS everywhere,
    COALESCE(array_agg(a.unit_id) FILTER (WHERE a.unit_id IS NOT NULL), '{}') AS units
  FROM membership_assignments a JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
  WHERE a.membership_id = :membershipId! AND r.permissions && :permissions!::text[]
) given
WHERE u.organization_id = :organizationId! AND NOT u.is_deleted
ORDER BY u.search_name COLLATE natural_order, u.id;

/* Returns the person who approves, and the authentication of the session in an organization. `acr` is null if the session has ended. */
/* @name findApprover */
SELECT u.is_platform_admin, token.id IS NOT NULL AS "is_session_live!",
  COALESCE(COALESCE(CASE WHEN @asks_for_proof(:organizationId!, token.proof)
    THEN (session_in_organization(u.id, :organizationId!, token.proof, :ssoHours::int)).claims END, token.proof) ->> 'acr', '1') AS "acr!"
FROM users u
LEFT JOIN refresh_tokens token ON token.session_id = :sessionId! AND token.user_id = u.id AND token.revoked_at IS NULL AND token.expires_at > now()
WHERE u.id = :userId! AND NOT u.is_deleted;

/* Returns the connection by whose proof a session acts in an organization; no row if none of its proofs by connections counts there. */
/* @name findActingConnection */
SELECT c.id
FROM session_proofs p
JOIN sso_connections c ON c.id = p.connection_id AND c.organization_id = :organizationId! AND c.status = 'ENABLED' AND NOT c.is_deleted
JOIN sso_identities i ON i.connection_id = c.id AND i.user_id = p.user_id AND i.linked_at <= p.proved_at
LEFT JOIN sign_on_policy policy ON policy.organization_id = c.organization_id
WHERE p.session_id = :sessionId! AND p.user_id = :userId!
  AND p.proved_at > now() - make_interval(hours => COALESCE(policy.max_session_hours, :ssoHours!::int))
ORDER BY p.proved_at DESC LIMIT 1;

/* Returns a unit to which an app may be limited. */
/* @name findUnitForApp */
SELECT id FROM units WHERE id = :id! AND organization_id = :organizationId! AND NOT is_deleted;

/* Returns what a member holds in the place of a grant, as an app would have it. */
/* @name listHeldInPlace */
SELECT held.permissions AS "permissions!", held.unit_id AS "unit_id?"
FROM oauth_grant_permissions(:membershipId!, :unitId::uuid) held;

/* Lists the grants of an account that work or may still be redeemed, the least recently used first. */
/* @name listLiveGrants */
SELECT g.id, g.client_id, g.resource, g.organization_id FROM oauth_grants g
WHERE g.user_id = :userId! AND g.ended_at IS NULL
  AND (@connected(g) OR g.redeemed_at IS NULL AND g.created_at > now() - interval '60 seconds')
ORDER BY COALESCE(GREATEST(g.last_used_at, g.redeemed_at), g.created_at), g.id;

/* Inserts a grant with its code. Returns no row if the request was approved before. */
/* @name insertGrant */
WITH granted AS (
  INSERT INTO oauth_grants (user_id, organization_id, unit_id, client_id, oauth_client_id, client_name, client_host, redirect_uri,
    resource, scopes, acr, connection_id, request_id, expires_at)
  VALUES (:userId!, :organizationId!, :unitId::uuid, :clientId!, :oauthClientId::uuid, :clientName!, :clientHost, :redirectUri!,
    :resource!, :scopes!::text[], :acr!, :connectionId::uuid, :requestId!, now() + :days!::int * interval '24 hours')
  ON CONFLICT ON CONSTRAINT oauth_grants_request DO NOTHING
  RETURNING id
), code AS (
  INSERT INTO oauth_codes (token_hash, grant_id, code_challenge, expires_at)
  SELECT :codeHash!, granted.id, :codeChallenge!, clock_timestamp() + interval '60 seconds' FROM granted
)
SELECT id FROM granted;
