/* Identities of users at providers. Written under the user's lock; unique constraints ensure that an identity belongs to
   one account, and that an account has one identity per provider. */

/* @name findIdentityHolder */
SELECT user_id FROM user_identities WHERE issuer = :issuer! AND subject = :subject!;

/* Returns no row if an account already has this identity, or if the user already has an identity at this provider. */
/* @name insertIdentity */
INSERT INTO user_identities (user_id, provider, issuer, subject, email)
VALUES (:userId!, :provider!, :issuer!, :subject!, :email)
ON CONFLICT DO NOTHING
RETURNING id;

/* @name listIdentities */
SELECT provider, email, created_at FROM user_identities WHERE user_id = :userId! ORDER BY created_at, id;

/* Whether the user can still sign in without this provider: by password, or with another configured provider. */
/* @name findOtherWayIn */
SELECT EXISTS (
  SELECT FROM users WHERE id = :userId! AND password_hash IS NOT NULL
  UNION ALL
  SELECT FROM user_identities WHERE user_id = :userId AND provider = ANY (:configured!::text[]) AND provider <> :provider!
) AS "is_left!";

/* @name deleteIdentity */
DELETE FROM user_identities WHERE user_id = :userId! AND provider = :provider! RETURNING id;
