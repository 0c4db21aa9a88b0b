/* Open sign-in challenges, and turning off a second factor. All writes are under the user's lock. */

/* @name insertChallenge */
INSERT INTO two_factor_challenges (user_id, token_hash, first_factor, provider, connection_id, sso, expires_at)
VALUES (:userId!, :tokenHash!, :firstFactor!, :provider, :connectionId, :sso, now() + interval '5 minutes');

/* @name deleteChallenges */
DELETE FROM two_factor_challenges WHERE user_id = :userId!;

/* Deletes the secret of an authenticator app that was not confirmed. */
/* @name deleteOfferedSecret */
DELETE FROM two_factor_secrets
WHERE user_id = :userId! AND EXISTS (SELECT FROM users WHERE id = :userId AND two_factor_enabled_at IS NULL);

/* @name deleteSecret */
DELETE FROM two_factor_secrets WHERE user_id = :userId!;

/* @name deleteRecoveryCodes */
DELETE FROM two_factor_recovery_codes WHERE user_id = :userId!;

/* @name markDisabled */
UPDATE users SET two_factor_enabled_at = NULL, updated_at = now()
WHERE id = :userId! AND two_factor_enabled_at IS NOT NULL AND NOT is_deleted
RETURNING email, language;

/* Reduces the proofs of sessions when the second factor is turned off (rules 7.10): only passkeys still count as
   two factors. The tokens are locked before the proofs, as in recordProof. */
/* @name forgetSecondFactor */
WITH live AS (
  SELECT session_id FROM refresh_tokens WHERE user_id = :userId! AND revoked_at IS NULL ORDER BY id FOR NO KEY UPDATE
)
UPDATE session_proofs SET factors = 1, amr = array_remove(array_remove(array_remove(array_remove(amr, 'mfa'), 'otp'), 'hwk'), 'swk')
WHERE session_id IN (SELECT session_id FROM live) AND user_id = :userId AND kind <> 'passkey' AND factors = 2;
