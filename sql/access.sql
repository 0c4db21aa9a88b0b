/* Permissions of users in organizations, and the units in which they hold them. */

/* Returns the active organization of a session with these proofs, with the user's grants there (rules 6.1). It is the preferred
   organization if the membership is live, the organization is active and the session may act there; otherwise that of the
   oldest such membership. Returns one row per grant, one row without a role for a membership without grants, and no row
   without an organization. */
/* @name listActiveOrganizationGrants */
SELECT organization_id AS "organization_id?", organization_name AS "organization_name?",
  organization_slug AS "organization_slug?", role_name AS "role_name?", permissions AS "permissions?", unit_id AS "unit_id?",
  claims AS "claims?", ends_at AS "ends_at?", breaks_glass AS "breaks_glass?"
FROM active_organization_grants(:userId!, :preferredId::uuid, :proof!::jsonb, :ssoHours::int)
ORDER BY role_name, assignment_id;

/* Returns the permissions of a user in an organization, by unit. Returns no row without a live membership in a live
   organization. */
/* @name listGrants */
SELECT r.permissions, a.unit_id
FROM memberships m
JOIN organizations o ON o.id = m.organization_id AND NOT o.is_deleted
JOIN membership_assignments a ON a.membership_id = m.id
JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
LEFT JOIN units u ON u.id = a.unit_id
WHERE m.organization_id = :organizationId! AND m.user_id = :userId! AND NOT m.is_deleted
  AND u.is_deleted IS NOT TRUE;

/* @name listUnitsByIds */
SELECT id, name FROM units
WHERE id = ANY (:ids!::uuid[]) AND organization_id = :organizationId! AND NOT is_deleted;

/* Returns these units and all units below them, for an access token; at most :max. The LIMIT ends the recursion early
   if there are too many units for a token. */
/* @name listCoveredUnits */
SELECT unit_id AS "unit_id!", parent_id FROM unit_subtree(:roots!::uuid[]) LIMIT :max::int;

/* Returns the units of a filter with their sub-units, if they belong to the organizations (null: to any). Deleted
   and unknown units match nothing. */
/* @name listFilteredUnits */
SELECT unit_id AS "id!" FROM unit_subtree(ARRAY(
  SELECT u.id FROM units u
  WHERE u.id = ANY (:roots!::uuid[]) AND (:organizations::uuid[] IS NULL OR u.organization_id = ANY (:organizations))));

/* Returns the deleted units that were below these units. OFFSET 0 prevents a join, which would read all units of
   the database. */
/* @name listDeletedUnits */
SELECT unit_id AS "unit_id!" FROM unit_subtree_ever(:roots!::uuid[]) tree
WHERE EXISTS (SELECT FROM units u WHERE u.id = tree.unit_id AND u.is_deleted OFFSET 0);

/* Returns these units and all their ancestors, without duplicates. */
/* @name listAncestors */
WITH RECURSIVE above AS (
  SELECT id, parent_id FROM units WHERE id = ANY (:unitIds!::uuid[])
  UNION
  SELECT parent.id, parent.parent_id FROM units parent JOIN above ON parent.id = above.parent_id
)
SELECT id AS "unit_id!", parent_id FROM above;

/* @name findLiveOrganization */
SELECT id, name, status FROM organizations WHERE id = :id! AND NOT is_deleted;

/* Checks a user before a write that changes permissions. Returns the organization (null columns if it is deleted),
   whether the user is a member, whether the session is live (rules 6.11), and the code of what its proofs lack to act in
   the organization. Always returns one row. */
/* @name findOrganizationForWrite */
SELECT o.id AS "id?", o.name AS "name?", o.status AS "status?", EXISTS (
    SELECT FROM memberships m WHERE m.organization_id = o.id AND m.user_id = :userId! AND NOT m.is_deleted
  ) AS "is_member!", token.id IS NOT NULL AS "is_session_live!", @blocked_by(:userId, wanted.id, token.proof) AS "blocked_by?"
FROM (VALUES (:id!::uuid)) wanted (id) LEFT JOIN organizations o ON o.id = wanted.id AND NOT o.is_deleted
LEFT JOIN refresh_tokens token
  ON token.session_id = :sessionId! AND token.user_id = :userId AND token.revoked_at IS NULL AND token.expires_at > now();

/* What a live session lacks to act in an organization: null or no row if nothing is missing. */
/* @name findBlock */
SELECT @blocked_by(:userId!, :organizationId!, token.proof) AS "blocked_by?"
FROM refresh_tokens token
WHERE token.session_id = :sessionId! AND token.user_id = :userId! AND token.revoked_at IS NULL AND token.expires_at > now();

/* Returns the connection by which a person may come into an organization: that of the identity, otherwise that of the
   address's domain, otherwise the oldest that is enabled. */
/* @name findConnectionOf */
SELECT c.id FROM sso_connections c
WHERE c.organization_id = :organizationId! AND c.status = 'ENABLED' AND NOT c.is_deleted
ORDER BY EXISTS (SELECT FROM sso_identities i WHERE i.connection_id = c.id AND i.user_id = :userId!) DESC,
  connection_has_domain_of(c.id, :userId) DESC, c.created_at, c.id
LIMIT 1;

/* Checks a platform administrator before a write: returns whether the session is live. Returns no row for other
   users. */
/* @name findPlatformAdmin */
SELECT u.id, EXISTS (
    SELECT FROM refresh_tokens t
    WHERE t.session_id = :sessionId! AND t.user_id = u.id AND t.revoked_at IS NULL AND t.expires_at > now()
  ) AS "is_session_live!"
FROM users u WHERE u.id = :id! AND u.is_platform_admin AND NOT u.is_deleted;

/* Returns whether the session is live, and whether its newest proof of identity is recent enough: of the account's own
   proofs or, with :organizationId, of those that count in that organization. Without :maxAgeSeconds any own proof is enough. */
/* @name findProof */
WITH live AS (
  SELECT proof FROM refresh_tokens
  WHERE session_id = :sessionId! AND user_id = :userId! AND revoked_at IS NULL AND expires_at > now()
)
SELECT EXISTS (SELECT FROM live) AS "is_session_live!", COALESCE((
  SELECT CASE WHEN :maxAgeSeconds::int IS NULL THEN live.proof ? 'auth_time'
    ELSE to_timestamp((COALESCE(act.claims, live.proof) ->> 'auth_time')::bigint) > now() - make_interval(secs => :maxAgeSeconds::int) END
  FROM live LEFT JOIN LATERAL session_in_organization(:userId, :organizationId::uuid, live.proof, :ssoHours::int) act
    ON :organizationId IS NOT NULL AND :ssoHours IS NOT NULL AND live.proof ? 'sso'
), false) AS "is_recent!";

/* Returns the organizations of the proofs by connections of a session, with the connection of each. */
/* @name listSsoProofs */
SELECT c.organization_id, c.id AS connection_id
FROM session_proofs p JOIN sso_connections c ON c.id = p.connection_id AND c.status = 'ENABLED' AND NOT c.is_deleted
JOIN sso_identities i ON i.connection_id = c.id AND i.user_id = p.user_id AND i.linked_at <= p.proved_at
WHERE p.session_id = :sessionId! AND p.user_id = :userId!
ORDER BY p.proved_at DESC;

/* What an organization asks of those who act in it, as in effect now; no row if it asks nothing. */
/* @name findPolicy */
SELECT scope AS "scope!", require_two_factor AS "require_two_factor!", max_session_hours AS "max_session_hours?",
  reauthentication_minutes AS "reauthentication_minutes?"
FROM sign_on_policy WHERE organization_id = :organizationId!;

/* Returns the means by which an account can prove its identity: password, a passkey that is enough alone, a second
   factor besides the password (an app, or a security key that is no more), identities at providers. */
/* @name findWaysToProve */
SELECT u.password_hash IS NOT NULL AS "has_password!",
  EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id AND p.rp_id = :rpId! AND p.blocked_at IS NULL AND p.signs_in) AS "has_passkey!",
  u.two_factor_enabled_at IS NOT NULL AND (EXISTS (SELECT FROM two_factor_secrets s WHERE s.user_id = u.id)
    OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id AND p.rp_id = :rpId AND p.blocked_at IS NULL AND NOT p.signs_in)) AS "needs_code!",
  ARRAY(SELECT i.provider FROM user_identities i WHERE i.user_id = u.id ORDER BY i.created_at, i.id) AS "providers!"
FROM users u WHERE u.id = :userId! AND NOT u.is_deleted;

/* Records a proof of identity for a live session. The record keeps the number of factors and the methods of earlier
   proofs of its kind; of a connection only the newest proof counts. Returns no row if the session has ended. The token is locked before the proof, as the end of an
   organization does, which takes no lock of a user. */
/* @name recordProof */
WITH live AS (
  SELECT session_id, user_id FROM refresh_tokens
  WHERE session_id = :sessionId! AND user_id = :userId! AND revoked_at IS NULL AND expires_at > now()
  FOR NO KEY UPDATE
)
INSERT INTO session_proofs (session_id, user_id, kind, factors, amr, connection_id)
SELECT session_id, user_id, :kind!, :factors!::smallint, :amr!::text[], :connectionId::uuid FROM live
ON CONFLICT ON CONSTRAINT session_proofs_one_of_a_kind DO UPDATE
SET factors = CASE WHEN EXCLUDED.kind = 'sso' THEN EXCLUDED.factors ELSE GREATEST(session_proofs.factors, EXCLUDED.factors) END, amr = ARRAY(
    SELECT method FROM unnest(session_proofs.amr || EXCLUDED.amr) WITH ORDINALITY shown (method, nth) GROUP BY method ORDER BY min(nth)),
  proved_at = now()
RETURNING session_id;

/* Deletes the proofs of sessions that have ended by signing out or by expiry. Proofs are kept for a while after the
   end. */
/* @name deleteProofsOfEndedSessions */
DELETE FROM session_proofs WHERE session_id IN (
  SELECT p.session_id FROM session_proofs p
  WHERE p.proved_at < now() - interval '1 day' AND NOT EXISTS (
    SELECT FROM refresh_tokens t WHERE t.session_id = p.session_id AND t.revoked_at IS NULL AND t.expires_at > now())
  LIMIT :max!)
RETURNING session_id;

/* Returns the permissions that a service account has now, by unit. Returns no row if it is disabled or deleted. */
/* @name listGrantsOfServiceAccount */
SELECT permissions AS "permissions!", unit_id FROM service_account_grants(:serviceAccountId!)
WHERE organization_id = :organizationId! AND permissions IS NOT NULL;

/* Returns the present permissions of the person behind a caller, and of all service accounts of this person,
   including disabled ones. The person is the user, or the creator of the API key. Service accounts belong to the
   person who created them or one of their live keys. */
/* @name listGrantsOfPerson */
WITH person AS (
  SELECT COALESCE(:userId::uuid, (SELECT created_by_id FROM api_keys WHERE id = :keyId::uuid AND organization_id = :organizationId!)) AS id
)
SELECT m.id AS "holder_id!", r.permissions AS "permissions!", a.unit_id
FROM person
JOIN memberships m ON m.user_id = person.id AND m.organization_id = :organizationId AND NOT m.is_deleted
JOIN membership_assignments a ON a.membership_id = m.id
JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted
UNION ALL
SELECT s.id, r.permissions, a.unit_id
FROM person
JOIN service_accounts s ON s.organization_id = :organizationId AND NOT s.is_deleted
  AND (s.created_by_id = person.id OR EXISTS (
    SELECT FROM api_keys k
    WHERE k.service_account_id = s.id AND k.created_by_id = person.id AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())))
JOIN service_account_assignments a ON a.service_account_id = s.id
JOIN roles r ON r.id = a.role_id AND NOT r.is_deleted;

/* Like findOrganizationForWrite, for a caller with an API key. Returns whether the key and its service account are
   live, and whether the key may be used from this IP address. Always returns one row. */
/* @name findOrganizationForKeyWrite */
SELECT o.id AS "id?", o.name AS "name?", o.status AS "status?", key.id IS NOT NULL AS "is_key_live!",
  COALESCE(key.allowed_ips IS NULL OR :ip::inet <<= ANY (key.allowed_ips), false) AS "is_address_allowed!"
FROM (VALUES (:id!::uuid)) wanted (id)
LEFT JOIN organizations o ON o.id = wanted.id AND NOT o.is_deleted
LEFT JOIN (
  SELECT k.id, k.organization_id, k.allowed_ips FROM api_keys k
  JOIN service_accounts s ON s.id = k.service_account_id AND s.is_enabled AND NOT s.is_deleted
  WHERE k.id = :keyId! AND k.service_account_id = :serviceAccountId!
    AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
) key ON key.organization_id = wanted.id;

/* Returns a row if a key and its service account are live. Used by work that takes longer than a request. */
/* @name findLiveApiKey */
SELECT k.id FROM api_keys k
JOIN service_accounts s ON s.id = k.service_account_id AND s.is_enabled AND NOT s.is_deleted
JOIN organizations o ON o.id = k.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
WHERE k.id = :keyId! AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now());

/* Returns the organization of a setup link that works, for a write under its lock. */
/* @name findLiveSetupLink */
SELECT o.name AS organization_name, (o.status = 'SUSPENDED') AS "is_suspended!"
FROM sign_on_setup_links l
JOIN organizations o ON o.id = l.organization_id AND NOT o.is_deleted
JOIN memberships m ON m.organization_id = l.organization_id AND m.user_id = l.created_by_id AND NOT m.is_deleted
WHERE l.id = :id! AND l.organization_id = :organizationId! AND l.finished_at IS NULL AND l.revoked_at IS NULL AND l.expires_at > now();

/* Returns what the person of a grant that has not ended holds now within its unit. Whether the grant works is checked with it. */
/* @name listGrantsOfApp */
SELECT held.permissions AS "permissions!", held.unit_id AS "unit_id?"
FROM usable_oauth_grants g CROSS JOIN LATERAL oauth_grant_permissions(g.membership_id, g.unit_id) held
WHERE g.id = :grantId!;

/* Returns the organization of a grant and its status, if the grant and its token work. What ends the grant then waits for the commit: after
   a disconnection was answered, no write commits. */
/* @name findOrganizationForAppWrite */
SELECT g.organization_id AS "id!", g.organization_name AS "name!", g.organization_status AS "status!"
FROM oauth_grants locked
JOIN usable_oauth_grants g ON g.id = locked.id
JOIN oauth_tokens t ON t.grant_id = g.id AND t.token_hash = :tokenHash! AND t.kind = 'access' AND t.expires_at > clock_timestamp()
WHERE locked.id = :grantId! AND locked.ended_at IS NULL AND app_works(g, :operator!::jsonb)
FOR SHARE OF locked;
