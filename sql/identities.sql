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

/* @name deleteIdentity */
DELETE FROM user_identities WHERE user_id = :userId! AND provider = :provider! RETURNING id;

/* @name deleteIdentitiesSince */
DELETE FROM user_identities WHERE user_id = :userId! AND created_at > :since!::timestamptz RETURNING provider;
