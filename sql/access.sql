/* Permissions of users in organizations, and the units in which they hold them. Only src/core/access and the
   routes' guard run these queries. */

/* Returns the active organization of a session, with the user's grants there (rules 6.1). It is the preferred
   organization if the membership is live and the organization is active; otherwise that of the oldest such
   membership. Returns one row per grant, one row without a role for a membership without grants, and no row without
   an organization. */
/* @name listActiveOrganizationGrants */
SELECT organization_id AS "organization_id?", organization_name AS "organization_name?",
  organization_slug AS "organization_slug?", role_name AS "role_name?", permissions AS "permissions?", unit_id AS "unit_id?"
FROM active_organization_grants(:userId!, :preferredId::uuid)
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
   whether the user is a member, and whether the session is live (rules 6.11). Always returns one row. */
/* @name findOrganizationForWrite */
SELECT o.id AS "id?", o.name AS "name?", o.status AS "status?", EXISTS (
    SELECT FROM memberships m WHERE m.organization_id = o.id AND m.user_id = :userId! AND NOT m.is_deleted
  ) AS "is_member!", EXISTS (
    SELECT FROM refresh_tokens t
    WHERE t.session_id = :sessionId! AND t.user_id = :userId AND t.revoked_at IS NULL AND t.expires_at > now()
  ) AS "is_session_live!"
FROM (VALUES (:id!::uuid)) wanted (id) LEFT JOIN organizations o ON o.id = wanted.id AND NOT o.is_deleted;

/* Checks a platform administrator before a write: returns whether the session is live. Returns no row for other
   users. */
/* @name findPlatformAdmin */
SELECT u.id, EXISTS (
    SELECT FROM refresh_tokens t
    WHERE t.session_id = :sessionId! AND t.user_id = u.id AND t.revoked_at IS NULL AND t.expires_at > now()
  ) AS "is_session_live!"
FROM users u WHERE u.id = :id! AND u.is_platform_admin AND NOT u.is_deleted;

/* Returns whether the session is live, and whether its newest proof of identity is recent enough. A session without
   proofs was started by the previous version of the service; the start of the session then counts as its proof. */
/* @name findProof */
SELECT COALESCE((
  SELECT COALESCE((SELECT max(p.proved_at) FROM session_proofs p WHERE p.session_id = t.session_id), t.session_started_at)
    > now() - make_interval(secs => :maxAgeSeconds!)
  FROM refresh_tokens t
  WHERE t.session_id = :sessionId! AND t.user_id = :userId! AND t.revoked_at IS NULL AND t.expires_at > now()
), false) AS "is_recent!", EXISTS (
  SELECT FROM refresh_tokens t
  WHERE t.session_id = :sessionId AND t.user_id = :userId AND t.revoked_at IS NULL AND t.expires_at > now()
) AS "is_session_live!";

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
   proofs of its kind. Returns no row if the session has ended. The token is locked before the proof, as the end of an
   organization does, which takes no lock of a user. */
/* @name recordProof */
WITH live AS (
  SELECT session_id, user_id FROM refresh_tokens
  WHERE session_id = :sessionId! AND user_id = :userId! AND revoked_at IS NULL AND expires_at > now()
  FOR NO KEY UPDATE
)
INSERT INTO session_proofs (session_id, user_id, kind, factors, amr)
SELECT session_id, user_id, :kind!, :factors!::smallint, :amr!::text[] FROM live
ON CONFLICT (session_id, kind) DO UPDATE SET factors = GREATEST(session_proofs.factors, EXCLUDED.factors), amr = ARRAY(
    SELECT method FROM unnest(session_proofs.amr || EXCLUDED.amr) WITH ORDINALITY shown (method, nth) GROUP BY method ORDER BY min(nth)),
  proved_at = now()
RETURNING session_id;

/* Deletes the proofs of sessions that have ended by signing out or by expiry. Proofs are kept for a while after the
   end. */
/* @name deleteProofsOfEndedSessions */
DELETE FROM session_proofs WHERE (session_id, kind) IN (
  SELECT p.session_id, p.kind FROM session_proofs p
  WHERE p.proved_at < now() - interval '1 day' AND NOT EXISTS (
    SELECT FROM refresh_tokens t WHERE t.session_id = p.session_id AND t.revoked_at IS NULL AND t.expires_at > now())
  LIMIT :max!)
RETURNING session_id;

/* Finds an API key by its digest, with the grants of its service account, in the form of
   listActiveOrganizationGrants: one row per grant, and at least one row if the key exists. The columns of the grants
   are null if the service account is disabled or deleted, or if its organization is deleted. Also records the time of
   use, at most every ten minutes. A row that another transaction has locked is not updated. */
/* @name verifyApiKey */
WITH used AS (
  UPDATE api_keys SET last_used_at = now(), last_used_ip = host(:ip::inet)
  WHERE id = (
    SELECT k.id FROM api_keys k
    JOIN service_accounts s ON s.id = k.service_account_id AND s.is_enabled AND NOT s.is_deleted
    JOIN organizations o ON o.id = k.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
    WHERE k.token_hash = :tokenHash! AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
      AND (k.last_used_at IS NULL OR k.last_used_at < now() - interval '10 minutes')
      AND (k.allowed_ips IS NULL OR :ip::inet <<= ANY (k.allowed_ips))
    FOR NO KEY UPDATE OF k SKIP LOCKED)
  RETURNING service_account_id
), account_used AS (
  UPDATE service_accounts SET last_used_at = now()
  WHERE id = (SELECT s.id FROM used JOIN service_accounts s ON s.id = used.service_account_id FOR NO KEY UPDATE OF s SKIP LOCKED)
)
SELECT k.id AS key_id, k.service_account_id, k.organization_id AS organization_of_key, k.created_by_id, k.start,
  k.revoked_at IS NOT NULL AS "is_revoked!", COALESCE(k.expires_at <= now(), false) AS "is_expired!",
  COALESCE(k.allowed_ips IS NULL OR :ip::inet <<= ANY (k.allowed_ips), false) AS "is_address_allowed!",
  o.status AS organization_status,
  granted.organization_id AS "organization_id?", granted.organization_name AS "organization_name?",
  granted.organization_slug AS "organization_slug?", granted.role_name AS "role_name?", granted.permissions AS "permissions?",
  granted.unit_id AS "unit_id?"
FROM api_keys k
JOIN organizations o ON o.id = k.organization_id
LEFT JOIN LATERAL service_account_grants(k.service_account_id) granted ON true
WHERE k.token_hash = :tokenHash
ORDER BY granted.role_name, granted.assignment_id;

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

/* Starts an hour in which further rejections of this key are not audited. Returns no row if such an hour is running
   already. */
/* @name beginHourOfRefusals */
UPDATE api_keys SET refusal_audited_at = now()
WHERE id = :keyId! AND (refusal_audited_at IS NULL OR refusal_audited_at < now() - interval '1 hour')
RETURNING id;
