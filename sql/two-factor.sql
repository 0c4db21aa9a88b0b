/* Second factors. All writes are under the user's lock, except the daily clean-up. */

/* @name findChallenge */
SELECT id, user_id, first_factor, provider, connection_id, sso FROM two_factor_challenges
WHERE token_hash = :tokenHash! AND expires_at > now();

/* @name useChallenge */
DELETE FROM two_factor_challenges WHERE id = :id! AND expires_at > now() RETURNING id;

/* @name deleteExpiredChallenges */
DELETE FROM two_factor_challenges WHERE id IN (
  SELECT id FROM two_factor_challenges WHERE expires_at <= now() LIMIT :max!)
RETURNING id;

/* Returns the encrypted secret of a user, the last used time step and the current one. The current time step is
   computed by the database's clock, which is the same for all instances. */
/* @name findSecret */
SELECT sealed_secret, COALESCE(last_step, -1)::int AS "last_step!",
  floor(extract(epoch FROM clock_timestamp()) / 30)::int AS "current_step!"
FROM two_factor_secrets WHERE user_id = :userId!;

/* Stores a new secret, which replaces an unconfirmed one. It starts without a used time step, because its codes are
   different. */
/* @name upsertSecret */
INSERT INTO two_factor_secrets (user_id, sealed_secret) VALUES (:userId!, :sealedSecret!)
ON CONFLICT (user_id) DO UPDATE SET sealed_secret = EXCLUDED.sealed_secret, last_step = NULL, created_at = now();

/* Consumes a time step. A time step is used only once, on all routes together. After it, no earlier step is
   accepted. */
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

/* Counts secrets that were encrypted with other keys than the given ones. A secret begins with the id of its key. */
/* @name countSecretsOfOtherKeys */
SELECT count(*)::int AS "count!"
FROM two_factor_secrets s JOIN users u ON u.id = s.user_id AND u.two_factor_enabled_at IS NOT NULL AND NOT u.is_deleted
WHERE NOT EXISTS (SELECT FROM unnest(:keyIds!::text[]) key_id WHERE starts_with(s.sealed_secret, key_id));

/* Returns secrets that are not encrypted with the given key, in batches: each batch starts after the last user of
   the previous one. */
/* @name listSecretsOfOtherKeys */
SELECT user_id AS id, sealed_secret
FROM two_factor_secrets
WHERE NOT starts_with(sealed_secret, :keyId!::text) AND user_id > :after!
ORDER BY user_id LIMIT :max!;

/* Replaces the encryption of a secret only if the secret has not changed since it was read: the user may have set
   up a new one meanwhile. */
/* @name replaceSecret */
UPDATE two_factor_secrets SET sealed_secret = :encrypted! WHERE user_id = :userId! AND sealed_secret = :before!
RETURNING user_id;
