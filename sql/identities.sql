/* Identities of users at sign-in providers. All writes are under the user's lock. Unique constraints ensure that an
   identity belongs to one account, and that an account has one identity per provider. */

/* @name findIdentityHolder */
SELECT user_id FROM user_identities WHERE issuer = :issuer! AND subject = :subject!;

/* Links an identity. Returns no row if an account already has this identity, or if the user already has an identity
   at this provider. */
/* @name insertIdentity */
INSERT INTO user_identities (user_id, provider, issuer, subject, email)
VALUES (:userId!, :provider!, :issuer!, :subject!, :email)
ON CONFLICT DO NOTHING
RETURNING id;

/* @name listIdentities */
SELECT provider, email, created_at FROM user_identities WHERE user_id = :userId! ORDER BY created_at, id;

/* Returns the identities of a user at connections of organizations; of a confined session only those in the organizations that it
   was proven for. */
/* @name listIdentitiesOfConnections */
SELECT c.id AS connection_id, c.name, i.email, i.linked_at, o.id AS organization_id, o.name AS organization_name
FROM sso_identities i
JOIN sso_connections c ON c.id = i.connection_id AND NOT c.is_deleted
JOIN organizations o ON o.id = c.organization_id AND NOT o.is_deleted
WHERE i.user_id = :userId! AND (:sessionId::uuid IS NULL OR EXISTS (
  SELECT FROM session_proofs p JOIN sso_connections shown ON shown.id = p.connection_id
  WHERE p.session_id = :sessionId::uuid AND shown.organization_id = c.organization_id))
ORDER BY i.linked_at, i.id;

/* @name deleteIdentity */
DELETE FROM user_identities WHERE user_id = :userId! AND provider = :provider! RETURNING id;

/* @name deleteIdentitiesSince */
DELETE FROM user_identities WHERE user_id = :userId! AND created_at > :since!::timestamptz RETURNING provider;
