/* Passkeys, as several features need them. All writes are under the user's lock. A passkey is usable if it is not
   blocked and is bound to the configured domain. */

/* Finds a usable passkey by its credential id. Binary values are encoded in hexadecimal. */
/* @name findPasskeyByCredential */
SELECT id, user_id, encode(credential_id, 'hex') AS "credential_id!", encode(public_key, 'hex') AS "public_key!", sign_count::float8 AS "sign_count!",
  algorithm, aaguid, transports, backup_eligible, signs_in, name
FROM passkeys WHERE credential_id = decode(:credentialId!, 'hex') AND rp_id = :rpId! AND blocked_at IS NULL;

/* @name listUsablePasskeys */
SELECT id, encode(credential_id, 'hex') AS "credential_id!", transports, signs_in FROM passkeys
WHERE user_id = :userId! AND rp_id = :rpId! AND blocked_at IS NULL ORDER BY created_at, id;

/* Records the use of a passkey. Does nothing if its signature counter has changed since it was read. */
/* @name usePasskey */
UPDATE passkeys SET sign_count = :signCount!::float8, backed_up = :backedUp!, last_used_at = now()
WHERE id = :id! AND sign_count = :readCount!::float8 AND blocked_at IS NULL
RETURNING id;

/* @name blockPasskey */
UPDATE passkeys SET blocked_at = now() WHERE id = :id! AND blocked_at IS NULL RETURNING id;

/* @name deletePasskeysOfUser */
DELETE FROM passkeys WHERE user_id = :userId! AND created_at > :since!::timestamptz RETURNING id, name, aaguid;

/* Returns the second factors that an account can use at sign-in: app, recovery codes, number of usable passkeys. */
/* @name findSecondFactors */
SELECT EXISTS (SELECT FROM two_factor_secrets s WHERE s.user_id = u.id) AND u.two_factor_enabled_at IS NOT NULL AS "has_totp!",
  EXISTS (SELECT FROM two_factor_recovery_codes c WHERE c.user_id = u.id AND c.used_at IS NULL) AS "has_recovery_codes!",
  (SELECT count(*) FROM passkeys p WHERE p.user_id = u.id AND p.rp_id = :rpId! AND p.blocked_at IS NULL)::int AS "passkeys!"
FROM users u WHERE u.id = :userId! AND NOT u.is_deleted;

/* Counts the ways in which an account can sign in: password, usable passkeys that sign in alone, and identities at
   configured providers. */
/* @name countWaysIn */
SELECT (SELECT count(*) FROM users WHERE id = :userId! AND password_hash IS NOT NULL)::int
  + (SELECT count(*) FROM passkeys WHERE user_id = :userId AND rp_id = :rpId! AND blocked_at IS NULL AND signs_in AND :passkeysSignIn!::boolean)::int
  + (SELECT count(*) FROM user_identities WHERE user_id = :userId AND provider = ANY (:providers!::text[]))::int AS "ways!";

/* Records that a WebAuthn challenge was used. Returns no row if it was used before. */
/* @name useWebauthnChallenge */
INSERT INTO webauthn_challenges_used (digest, expires_at) VALUES (decode(:digest!, 'hex'), now() + interval '10 minutes')
ON CONFLICT DO NOTHING RETURNING expires_at;

/* Returns a row if a WebAuthn challenge was used. */
/* @name findUsedWebauthnChallenge */
SELECT expires_at FROM webauthn_challenges_used WHERE digest = decode(:digest!, 'hex');

/* @name deleteExpiredWebauthnChallenges */
DELETE FROM webauthn_challenges_used WHERE digest IN (
  SELECT digest FROM webauthn_challenges_used WHERE expires_at <= now() LIMIT :max!)
RETURNING encode(digest, 'hex') AS "digest!";
