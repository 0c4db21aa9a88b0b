/* Changes of an account's email. Every write is made under the locks of both emails and of the user. */

/* Returns an account's pending change of email, if it is neither canceled nor expired. */
/* @name findPendingChange */
SELECT id, new_email, old_confirmed_at IS NOT NULL AS "is_old_confirmed!", new_confirmed_at IS NOT NULL AS "is_new_confirmed!", expires_at
FROM email_changes
WHERE user_id = :userId! AND completed_at IS NULL AND canceled_at IS NULL AND expires_at > now();

/* @name findUndoUntil */
SELECT max(undo_until) AS "undo_until?" FROM email_changes
WHERE user_id = :userId! AND completed_at IS NOT NULL AND undone_at IS NULL AND undo_until > now();

/* Returns the seconds until the account may request another change of email; null if it may now. One request in
   :pauseSeconds and :points in :seconds are allowed, including canceled and expired ones. Requests that were refused
   because another account has the email count among the :points. */
/* @name findChangeWait */
SELECT NULLIF(GREATEST(0,
  COALESCE(ceil(extract(epoch FROM max(at) FILTER (WHERE NOT is_refused) + make_interval(secs => :pauseSeconds!) - now())), 0),
  CASE WHEN count(*) >= :points!::int
    THEN ceil(extract(epoch FROM (array_agg(at ORDER BY at DESC))[:points::int] + make_interval(secs => :seconds!) - now()))
    ELSE 0 END
)::int, 0) AS "seconds?"
FROM (
  SELECT created_at AS at, false AS is_refused FROM email_changes WHERE user_id = :userId! AND created_at > now() - make_interval(secs => :seconds)
  UNION ALL
  SELECT failed_at, true FROM failed_attempts
  WHERE user_id = :userId AND place = 'EMAIL_CHANGE' AND failed_at > now() - make_interval(secs => :seconds)
) requests;

/* Whether another account has this email, or had it. */
/* @name isEmailOfAnother */
SELECT EXISTS (SELECT FROM users WHERE email = :email! AND id <> :userId!)
  OR EXISTS (SELECT FROM account_emails WHERE email = :email AND user_id <> :userId)
  OR EXISTS (SELECT FROM retired_emails WHERE digest = digest_of_email(:email)) AS "is_in_use!";

/* @name insertChange */
INSERT INTO email_changes (user_id, old_email, new_email, needs_old, old_token_hash, new_token_hash, expires_at)
VALUES (:userId!, :oldEmail!, :newEmail!, :needsOld!, :oldTokenHash!, :newTokenHash!, now() + interval '24 hours')
RETURNING expires_at;

/* Finds a change of email by a link that was mailed to the old or the new address. Completed changes are also found
   until they expire, so that a link that is opened again shows the result. */
/* @name findChangeByToken */
SELECT c.id, c.user_id, c.old_email, c.new_email, c.old_token_hash = :tokenHash! AS "is_old!",
  c.needs_old AND c.old_confirmed_at IS NULL AS "waits_for_old!", c.new_confirmed_at IS NULL AS "waits_for_new!",
  c.completed_at IS NOT NULL AS "is_completed!", c.session_id
FROM email_changes c JOIN users u ON u.id = c.user_id AND NOT u.is_deleted
WHERE (c.old_token_hash = :tokenHash OR c.new_token_hash = :tokenHash)
  AND c.canceled_at IS NULL AND c.undone_at IS NULL AND c.expires_at > now();

/* Records a confirmation. `sessionId` is the session that confirms the new address. */
/* @name confirmChange */
SELECT confirm_account_email(:id!, :tokenHash!, :sessionId) AS "is_confirmed!";

/* Replaces the account's email, if all required confirmations of the change exist. The database function checks
   this itself. */
/* @name changeEmail */
SELECT change_account_email(:id!) AS "is_changed!";

/* @name markCompleted */
SELECT complete_account_email(:id!, :undoTokenHash, :undoHours!) AS "undo_until?";

/* @name findChangeToUndo */
SELECT c.id, c.user_id, c.old_email, c.completed_at AS "completed_at!", u.email
FROM email_changes c JOIN users u ON u.id = c.user_id AND NOT u.is_deleted
WHERE c.undo_token_hash = :tokenHash! AND c.completed_at IS NOT NULL AND c.undone_at IS NULL AND c.undo_until > now();

/* Returns since when the additions to an account are removed with a change of its email: since 24 hours before the
   request, but without what the account was created with. */
/* @name findSuspects */
SELECT s.since AS "since!", COALESCE(u.password_hash IS NOT NULL AND u.password_set_at > s.since, false) AS "is_password_new!",
  COALESCE(u.two_factor_enabled_at > s.since, false) AS "is_factor_new!"
FROM email_changes c JOIN users u ON u.id = c.user_id,
  LATERAL (SELECT GREATEST(c.created_at - interval '24 hours', u.created_at) AS since) s
WHERE c.id = :id!;

/* @name undoEmail */
SELECT undo_account_email(:id!, :tokenHash!) AS "is_undone!";

/* Ends the undo link that was used, and those of later changes: an undo by an earlier address overrides later
   changes. */
/* @name markUndone */
UPDATE email_changes SET undone_at = now()
WHERE user_id = :userId! AND completed_at >= :since!::timestamptz AND undone_at IS NULL;

/* @name voidPassword */
UPDATE users SET password_hash = NULL, updated_at = now() WHERE id = :userId!;

/* @name deleteRecoveryCodesSince */
DELETE FROM two_factor_recovery_codes WHERE user_id = :userId! AND created_at > :since!::timestamptz;

/* @name endVerificationLinks */
UPDATE email_verification_tokens SET is_deleted = true, deleted_at = now()
WHERE user_id = :userId! AND used_at IS NULL AND NOT is_deleted;

/* @name endResetLinks */
UPDATE password_reset_tokens SET is_deleted = true, deleted_at = now()
WHERE user_id = :userId! AND used_at IS NULL AND NOT is_deleted;

/* @name listFormerEmails */
SELECT email, used_from, used_until AS "used_until!" FROM account_emails
WHERE user_id = :userId! AND used_until IS NOT NULL ORDER BY used_until;
