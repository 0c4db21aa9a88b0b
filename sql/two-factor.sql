/* The second factor. Whatever writes here holds the user's lock, but for the daily clean-up. */

/* @name findChallenge */
SELECT id, user_id FROM two_factor_challenges WHERE token_hash = :tokenHash! AND expires_at > now();

/* @name useChallenge */
DELETE FROM two_factor_challenges WHERE id = :id! AND expires_at > now() RETURNING id;

/* @name deleteExpiredChallenges */
DELETE FROM two_factor_challenges WHERE id IN (
  SELECT id FROM two_factor_challenges WHERE expires_at <= now() LIMIT :max!)
RETURNING id;

/* Steps are those of the database's clock, of which all instances have the same. */
/* @name findSecret */
SELECT sealed_secret, COALESCE(last_step, -1)::int AS "last_step!",
  floor(extract(epoch FROM clock_timestamp()) / 30)::int AS "current_step!"
FROM two_factor_secrets WHERE user_id = :userId!;

/* A new one on offer replaces the one before, and its steps begin anew: its codes are others. */
/* @name upsertSecret */
INSERT INTO two_factor_secrets (user_id, sealed_secret) VALUES (:userId!, :sealedSecret!)
ON CONFLICT (user_id) DO UPDATE SET sealed_secret = EXCLUDED.sealed_secret, last_step = NULL, created_at = now();

/* A step is used once, whatever takes its code, and none before it after that. */
/* @name useStep */
UPDATE two_factor_secrets SET last_step = :step!::int
WHERE user_id = :userId! AND (last_step IS NULL OR last_step < :step)
RETURNING user_id;

/* @name insertRecoveryCodes */
INSERT INTO two_factor_recovery_codes (user_id, code_hash)
SELECT :userId!, unnest(:codeHashes!::text[]);

/* @name useRecoveryCode */
UPDATE two_factor_recovery_codes SET used_at = now()
WHERE user_id = :userId! AND code_hash = :codeHash! AND used_at IS NULL
RETURNING user_id;

/* @name countRecoveryCodes */
SELECT count(*)::int AS "count!" FROM two_factor_recovery_codes WHERE user_id = :userId! AND used_at IS NULL;

/* @name markEnabled */
UPDATE users SET two_factor_enabled_at = now(), updated_at = now()
WHERE id = :userId! AND two_factor_enabled_at IS NULL AND NOT is_deleted
RETURNING id;

/* @name findEnabledAt */
SELECT two_factor_enabled_at FROM users WHERE id = :userId! AND NOT is_deleted;

/* Of other keys than those at hand, by whose names secrets begin. */
/* @name countSecretsOfOtherKeys */
SELECT count(*)::int AS "count!"
FROM two_factor_secrets s JOIN users u ON u.id = s.user_id AND u.two_factor_enabled_at IS NOT NULL AND NOT u.is_deleted
WHERE NOT EXISTS (SELECT FROM unnest(:keyIds!::text[]) key_id WHERE starts_with(s.sealed_secret, key_id));

/* What is not encrypted with the key at hand, in pieces: each begins after the last user of the one before. */
/* @name listSecretsOfOtherKeys */
SELECT user_id, sealed_secret
FROM two_factor_secrets
WHERE NOT starts_with(sealed_secret, :keyId!::text) AND user_id > :after!
ORDER BY user_id LIMIT :max!;

/* Only where it is still what was read: the user may have made a new one meanwhile. */
/* @name replaceSecrets */
UPDATE two_factor_secrets s SET sealed_secret = given.encrypted
FROM unnest(:userIds!::uuid[], :before!::text[], :encrypted!::text[]) given (user_id, before, encrypted)
WHERE s.user_id = given.user_id AND s.sealed_secret = given.before
RETURNING s.user_id;
