/* @name isEmailInUse */
SELECT EXISTS (SELECT FROM users WHERE email = :email!)
  OR EXISTS (SELECT FROM account_emails WHERE email = :email)
  OR EXISTS (SELECT FROM retired_emails WHERE digest = digest_of_email(:email)) AS "is_in_use!";

/* Inserts an unverified account. Returns no row if any account has the email, even a deleted one. */
/* @name insertUser */
INSERT INTO users (email, first_name, last_name, password_hash, language, pending_organization_name)
VALUES (:email!, :firstName!, :lastName!, :passwordHash, :language!, :pendingOrganizationName)
ON CONFLICT (email) DO NOTHING
RETURNING id;

/* @name markEmailVerified */
UPDATE users SET email_verified_at = now(), updated_at = now()
WHERE id = :id! AND email_verified_at IS NULL AND NOT is_deleted
RETURNING pending_organization_name;

/* Single-use links in mails. Verification links and reset links have separate tables with the same states: issued,
   then used, superseded (is_deleted) or expired. Links are issued and used under the user's lock. */

/* Returns whether another verification mail may be sent to a user: in each of :seconds at most as many of :points,
   including superseded links. */
/* @name isVerificationAllowed */
SELECT NOT EXISTS (
  SELECT FROM unnest(:points!::int[], :seconds!::int[]) AS bound (points, seconds)
  WHERE bound.points <= (SELECT count(*) FROM email_verification_tokens
    WHERE user_id = :userId! AND created_at > now() - make_interval(secs => bound.seconds))
) AS "is_allowed!";

/* @name supersedeVerification */
UPDATE email_verification_tokens SET is_deleted = true, deleted_at = now()
WHERE user_id = :userId! AND used_at IS NULL AND NOT is_deleted;

/* @name insertVerification */
INSERT INTO email_verification_tokens (user_id, token_hash, expires_at)
VALUES (:userId!, :tokenHash!, now() + interval '24 hours');

/* @name findVerificationUser */
SELECT t.user_id
FROM email_verification_tokens t JOIN users u ON u.id = t.user_id
WHERE t.token_hash = :tokenHash! AND t.used_at IS NULL AND NOT t.is_deleted AND t.expires_at > now()
  AND NOT u.is_deleted;

/* @name useVerification */
UPDATE email_verification_tokens SET used_at = now()
WHERE token_hash = :tokenHash! AND used_at IS NULL AND NOT is_deleted AND expires_at > now()
RETURNING id;

/* @name isResetAllowed */
SELECT NOT EXISTS (
  SELECT FROM unnest(:points!::int[], :seconds!::int[]) AS bound (points, seconds)
  WHERE bound.points <= (SELECT count(*) FROM password_reset_tokens
    WHERE user_id = :userId! AND created_at > now() - make_interval(secs => bound.seconds))
) AS "is_allowed!";

/* @name supersedeReset */
UPDATE password_reset_tokens SET is_deleted = true, deleted_at = now()
WHERE user_id = :userId! AND used_at IS NULL AND NOT is_deleted;

/* @name insertReset */
INSERT INTO password_reset_tokens (user_id, token_hash, expires_at)
VALUES (:userId!, :tokenHash!, now() + interval '1 hour');

/* @name findResetUser */
SELECT t.user_id, u.email, u.first_name, u.last_name
FROM password_reset_tokens t JOIN users u ON u.id = t.user_id
WHERE t.token_hash = :tokenHash! AND t.used_at IS NULL AND NOT t.is_deleted AND t.expires_at > now()
  AND NOT u.is_deleted;

/* @name useReset */
UPDATE password_reset_tokens SET used_at = now()
WHERE token_hash = :tokenHash! AND used_at IS NULL AND NOT is_deleted AND expires_at > now()
RETURNING id;

/* @name deleteOldVerifications */
DELETE FROM email_verification_tokens WHERE id IN (
  SELECT id FROM email_verification_tokens WHERE created_at < now() - interval '30 days' LIMIT :max!)
RETURNING id;

/* @name deleteOldResets */
DELETE FROM password_reset_tokens WHERE id IN (
  SELECT id FROM password_reset_tokens WHERE created_at < now() - interval '30 days' LIMIT :max!)
RETURNING id;
