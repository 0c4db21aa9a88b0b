/* Ends sessions, challenges, links and mails that were live in a restored backup (src/app/post-restore.ts). */

/* Deletes all rows of the sessions that started before a time. If only the live row of a session were deleted, an
   old cookie would look like a reused one (rules 5.11). */
/* @name endSessionsStartedBefore */
WITH ended AS (
  DELETE FROM refresh_tokens WHERE session_started_at <= :time! RETURNING session_id, revoked_at, expires_at)
SELECT count(*) FILTER (WHERE revoked_at IS NULL AND expires_at > now())::int AS "count!" FROM ended;

/* @name deleteChallengesMadeBefore */
WITH ended AS (DELETE FROM two_factor_challenges WHERE created_at <= :time! RETURNING expires_at)
SELECT count(*) FILTER (WHERE expires_at > now())::int AS "count!" FROM ended;

/* @name endVerificationLinksMadeBefore */
WITH ended AS (
  UPDATE email_verification_tokens SET is_deleted = true, deleted_at = now()
  WHERE used_at IS NULL AND NOT is_deleted AND expires_at > now() AND created_at <= :time! RETURNING id)
SELECT count(*)::int AS "count!" FROM ended;

/* Cancels pending changes of email. Links that undo a completed change keep working, because the owner of the old
   address may still need them. */
/* @name cancelEmailChangesMadeBefore */
WITH ended AS (
  UPDATE email_changes SET canceled_at = now()
  WHERE completed_at IS NULL AND canceled_at IS NULL AND created_at <= :time! RETURNING expires_at)
SELECT count(*) FILTER (WHERE expires_at > now())::int AS "count!" FROM ended;

/* @name endResetLinksMadeBefore */
WITH ended AS (
  UPDATE password_reset_tokens SET is_deleted = true, deleted_at = now()
  WHERE used_at IS NULL AND NOT is_deleted AND expires_at > now() AND created_at <= :time! RETURNING id)
SELECT count(*)::int AS "count!" FROM ended;

/* Expires the links of invitations. The invitations stay in the list and can be sent again. */
/* @name expireInvitationsSentBefore */
WITH ended AS (
  UPDATE user_invitations SET expires_at = now()
  WHERE accepted_at IS NULL AND NOT is_deleted AND expires_at > now() AND last_sent_at <= :time! RETURNING id)
SELECT count(*)::int AS "count!" FROM ended;

/* Deletes all idempotency keys. The effects of requests since the backup were lost together with their keys, so the
   remaining keys do not show which requests took effect. */
/* @name deleteIdempotencyKeys */
WITH ended AS (DELETE FROM idempotency_keys WHERE created_at <= :time! RETURNING 1)
SELECT count(*)::int AS "count!" FROM ended;

/* Revokes all API keys. A key that was revoked after the backup works again after a restore, so the operator may
   choose this. */
/* @name revokeAllApiKeys */
WITH ended AS (
  UPDATE api_keys SET revoked_at = now()
  WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) RETURNING id)
SELECT count(*)::int AS "count!" FROM ended;

/* @name countLiveApiKeys */
SELECT count(*)::int AS "count!"
FROM api_keys k
JOIN service_accounts s ON s.id = k.service_account_id AND s.is_enabled AND NOT s.is_deleted
JOIN organizations o ON o.id = k.organization_id AND NOT o.is_deleted
WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now());

/* @name countLiveSessions */
SELECT count(DISTINCT session_id)::int AS "count!" FROM refresh_tokens WHERE revoked_at IS NULL AND expires_at > now();

/* @name listPlatformAdministrators */
SELECT email FROM users WHERE is_platform_admin AND NOT is_deleted ORDER BY email;

/* Begins a new epoch of event numbers in every organization, and of the feed, so that cursors issued after the backup are not
   accepted for other events. Returns the number of organizations. */
/* @name beginEventEpoch */
WITH begun AS (
  UPDATE event_sequences SET epoch = GREATEST(epoch + 1, extract(epoch FROM clock_timestamp())::bigint) RETURNING organization_id
), feed AS (
  UPDATE feed_numbering SET epoch = GREATEST(epoch + 1, extract(epoch FROM clock_timestamp())::bigint)
)
SELECT count(*)::int AS "count!" FROM begun;
