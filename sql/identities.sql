/* Who people are to the providers that they sign in with. Written under the lock of the user; that an identity is of one
   account, and an account has one of a provider, the unique constraints decide. */

/* @name findIdentityHolder */
SELECT user_id FROM user_identities WHERE issuer = :issuer! AND subject = :subject!;

/* No row comes back where somebody holds it, or where the user has another one of the provider. */
/* @name insertIdentity */
INSERT INTO user_identities (user_id, provider, issuer, subject, email)
VALUES (:userId!, :provider!, :issuer!, :subject!, :email)
ON CONFLICT DO NOTHING
RETURNING id;

/* @name listIdentities */
SELECT provider, email, created_at FROM user_identities WHERE user_id = :userId! ORDER BY created_at, id;

/* What is left to sign in with, apart from one provider: a password, or a provider that is still configured. */
/* @name findOtherWayIn */
SELECT EXISTS (
  SELECT FROM users WHERE id = :userId! AND password_hash IS NOT NULL
  UNION ALL
  SELECT FROM user_identities WHERE user_id = :userId AND provider = ANY (:configured!::text[]) AND provider <> :provider!
) AS "is_left!";

/* @name deleteIdentity */
DELETE FROM user_identities WHERE user_id = :userId! AND provider = :provider! RETURNING id;
