/* Sign-ins by connections. Identities and memberships are written under the locks of the organization and of the user. What a
   failure leaves on the connection is written without a lock. */

/* @name findConnection */
SELECT c.id, c.organization_id, c.name, c.status, c.issuer, c.client_id, c.client_secret, c.scopes, c.claims,
  c.provisioning, c.second_factor, c.tested_version, o.name AS organization_name, o.status AS organization_status
FROM sso_connections c JOIN organizations o ON o.id = c.organization_id AND NOT o.is_deleted
WHERE c.id = :id! AND NOT c.is_deleted;

/* Returns the connection by which people of a domain sign in. */
/* @name findConnectionOfDomain */
SELECT c.id, c.name
FROM organization_domains d
JOIN sso_connections c ON c.id = d.connection_id AND c.organization_id = d.organization_id AND c.status = 'ENABLED' AND NOT c.is_deleted
JOIN organizations o ON o.id = d.organization_id AND o.status = 'ACTIVE' AND NOT o.is_deleted
WHERE d.domain = :domain! AND d.status = 'VERIFIED';

/* Whether the organization has this domain now. */
/* @name isVerifiedDomain */
SELECT EXISTS (
  SELECT FROM organization_domains WHERE organization_id = :organizationId! AND domain = :domain! AND status = 'VERIFIED'
) AS "is_verified!";

/* @name findIdentity */
SELECT user_id FROM sso_identities WHERE connection_id = :connectionId! AND subject = :subject!;

/* Returns an account with what a sign-in by a connection depends on: the membership in the organization and how the last one ended,
   an invitation that can be accepted, and the identity that the account has already. */
/* @name findPerson */
SELECT u.id, u.email, u.first_name, u.last_name, u.language, u.email_verified_at IS NOT NULL AS "is_verified!", u.is_platform_admin,
  u.two_factor_enabled_at IS NOT NULL AS "has_two_factor!", m.id IS NOT NULL AND NOT m.is_deleted AS "is_member!",
  m.is_deleted IS TRUE AND m.ended_as IS DISTINCT FROM 'left' AS "was_removed!",
  identity.subject AS "subject?", (
    SELECT i.token_hash FROM pending_invitations i
    WHERE i.organization_id = :organizationId! AND i.email COLLATE "C" = u.email AND i.is_usable
    ORDER BY i.created_at DESC LIMIT 1
  ) AS "invitation?"
FROM users u
LEFT JOIN memberships m ON m.user_id = u.id AND m.organization_id = :organizationId!
LEFT JOIN sso_identities identity ON identity.user_id = u.id AND identity.connection_id = :connectionId!
WHERE u.id = :userId! AND NOT u.is_deleted;

/* @name findInvitation */
SELECT i.token_hash AS "token_hash!" FROM pending_invitations i
WHERE i.organization_id = :organizationId! AND i.email COLLATE "C" = :email! AND i.is_usable
ORDER BY i.created_at DESC LIMIT 1;

/* Links a person to an account. Returns no row if the subject or the account has an identity of the connection already. */
/* @name insertIdentity */
INSERT INTO sso_identities (connection_id, user_id, subject, email, groups)
VALUES (:connectionId!, :userId!, :subject!, :email!, :groups!::text[])
ON CONFLICT DO NOTHING
RETURNING id;

/* Records a sign-in of a linked person. Without :groups the earlier ones stay. */
/* @name updateIdentity */
UPDATE sso_identities SET last_sign_in_at = now(), email = COALESCE(:email, email), groups = COALESCE(:groups::text[], groups)
WHERE connection_id = :connectionId! AND user_id = :userId!
RETURNING id;

/* @name recordSignIn */
UPDATE sso_connections SET last_sign_in_at = now(), failures = 0, failing_since = NULL WHERE id = :id! AND NOT is_deleted;

/* Records why a sign-in failed, at most once a minute and code, and counts failures of the provider in a row up to :max. */
/* @name recordFailure */
UPDATE sso_connections SET last_error_code = :code!, last_error_detail = :detail!, last_error_at = now(),
  failures = CASE WHEN :isProviders! AND failures < :max!::int THEN failures + 1 ELSE failures END,
  failing_since = CASE WHEN :isProviders! THEN COALESCE(failing_since, now()) ELSE failing_since END
WHERE id = :id! AND NOT is_deleted
  AND (last_error_code IS DISTINCT FROM :code OR last_error_at < now() - interval '1 minute' OR (:isProviders! AND failures < :max));

/* Empties an account that nobody ever proved, and verifies it. Returns no row if the account was verified meanwhile. */
/* @name takeOverUnverified */
WITH emptied AS (
  UPDATE users SET password_hash = NULL, password_renewal = NULL, pending_organization_name = NULL, two_factor_enabled_at = NULL,
    email_verified_at = now(), updated_at = now()
  WHERE id = :id! AND email_verified_at IS NULL AND NOT is_deleted
  RETURNING id
), verifications AS (
  UPDATE email_verification_tokens SET is_deleted = true, deleted_at = now()
  WHERE user_id IN (SELECT id FROM emptied) AND used_at IS NULL AND NOT is_deleted
), resets AS (
  UPDATE password_reset_tokens SET is_deleted = true, deleted_at = now()
  WHERE user_id IN (SELECT id FROM emptied) AND used_at IS NULL AND NOT is_deleted
)
SELECT id FROM emptied;

/* Returns the proof by a connection of a live session, while the connection is enabled and the identity is the one that it was shown with. */
/* @name findProofOf */
SELECT p.factors, i.subject
FROM session_proofs p
JOIN sso_connections c ON c.id = p.connection_id AND c.status = 'ENABLED' AND NOT c.is_deleted
JOIN sso_identities i ON i.connection_id = c.id AND i.user_id = p.user_id AND i.linked_at <= p.proved_at
WHERE p.session_id = :sessionId! AND p.user_id = :userId! AND p.connection_id = :connectionId!
  AND EXISTS (SELECT FROM refresh_tokens t
    WHERE t.session_id = p.session_id AND t.user_id = p.user_id AND t.revoked_at IS NULL AND t.expires_at > now());

/* Ends what a person has by the connections of these organizations, or of all. The tokens are locked before the proofs, as in
   recordProof. */
/* @name deleteIdentitiesOf */
WITH live AS MATERIALIZED (
  SELECT session_id FROM refresh_tokens WHERE user_id = :userId! AND revoked_at IS NULL ORDER BY id FOR NO KEY UPDATE
), proofs AS (
  DELETE FROM session_proofs p USING sso_connections c
  WHERE p.session_id IN (SELECT session_id FROM live) AND p.user_id = :userId AND p.kind = 'sso' AND c.id = p.connection_id
    AND (:organizationIds::uuid[] IS NULL OR c.organization_id = ANY (:organizationIds))
)
DELETE FROM sso_identities i USING sso_connections c
WHERE i.user_id = :userId AND c.id = i.connection_id AND (:organizationIds::uuid[] IS NULL OR c.organization_id = ANY (:organizationIds));

/* @name insertTest */
INSERT INTO sso_tests (connection_id, user_id, setup_link_id, tested_version, expires_at)
VALUES (:connectionId!, :userId, :setupLinkId, :version!, now() + interval '15 minutes')
RETURNING id;

/* @name countTests */
SELECT count(*)::int AS "count!" FROM sso_tests t JOIN sso_connections c ON c.id = t.connection_id
WHERE c.organization_id = :organizationId! AND t.created_at > now() - interval '1 hour';

/* @name findTest */
SELECT t.result, t.setup_link_id FROM sso_tests t JOIN sso_connections c ON c.id = t.connection_id AND NOT c.is_deleted
WHERE t.id = :id! AND t.connection_id = :connectionId! AND c.organization_id = :organizationId! AND t.expires_at > now()
  AND t.user_id IS NOT DISTINCT FROM :userId::uuid AND t.setup_link_id IS NOT DISTINCT FROM :setupLinkId::uuid;

/* Stores what a provider answered to a test, once. */
/* @name finishTest */
WITH finished AS (
  UPDATE sso_tests SET result = :result!, passed_at = CASE WHEN :isPassed! THEN now() END
  WHERE id = :id! AND connection_id = :connectionId! AND tested_version = :version! AND result IS NULL AND expires_at > now()
  RETURNING connection_id, tested_version, passed_at
), tested AS (
  UPDATE sso_connections c SET tested_at = finished.passed_at FROM finished
  WHERE c.id = finished.connection_id AND c.tested_version = finished.tested_version AND finished.passed_at IS NOT NULL
)
SELECT connection_id FROM finished;

/* A test that passed allows enabling the connection for a day (rules 44.8), longer than its result is shown. */
/* @name deleteOldTests */
DELETE FROM sso_tests WHERE id IN (
  SELECT id FROM sso_tests WHERE created_at < now() - interval '25 hours' LIMIT :max!)
RETURNING id;
