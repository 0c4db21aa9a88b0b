/* A session is the chain of refresh tokens that share session_id: one live row, and the rows it replaced.
   Whatever writes here holds the user's lock, so what is read after the lock still holds at the write; but for the end
   of an organization and the daily clean-up, which only delete. */

/* @name findTokenOwner */
SELECT user_id, session_id FROM refresh_tokens WHERE token_hash = :tokenHash!;

/* A revoked token keeps a grace of 30 seconds, one generation deep, and only while its successor is
   alive and unused (rules 5.7). */
/* @name findRefreshToken */
SELECT t.id, t.session_id, t.user_id, t.organization_id,
  t.revoked_at IS NOT NULL AS "is_revoked!",
  t.expires_at <= now() AS "is_expired!",
  COALESCE(s.revoked_at IS NULL AND s.expires_at > now() AND s.created_at > now() - interval '30 seconds', false)
    AS "has_fresh_successor!",
  s.organization_id AS "successor_organization_id?",
  u.email, u.language, u.is_platform_admin, u.last_organization_id
FROM refresh_tokens t
JOIN users u ON u.id = t.user_id AND NOT u.is_deleted
LEFT JOIN refresh_tokens s ON s.id = t.replaced_by_id
WHERE t.token_hash = :tokenHash!;

/* Rows are dated by clock_timestamp(): now() is when the transaction began, and one that waited long for the lock
   would look older than the rows that were written meanwhile, to the grace and to the cap. */
/* @name insertSession */
INSERT INTO refresh_tokens (session_id, user_id, token_hash, organization_id, expires_at, ip, user_agent, created_at)
VALUES (uuidv7(), :userId!, :tokenHash!, :organizationId, now() + make_interval(days => :lifetimeDays!), :ip, :userAgent,
  clock_timestamp())
RETURNING session_id;

/* Revoking and replacing are one conditional statement: a token is rotated once, or not at all. */
/* @name rotateRefreshToken */
WITH successor AS (
  SELECT uuidv7() AS id
), revoked AS (
  UPDATE refresh_tokens t SET revoked_at = now(), replaced_by_id = successor.id
  FROM successor
  WHERE t.id = :id! AND t.revoked_at IS NULL AND t.expires_at > now()
  RETURNING successor.id AS successor_id, t.session_id, t.user_id, t.session_started_at
)
INSERT INTO refresh_tokens
  (id, session_id, user_id, token_hash, organization_id, expires_at, session_started_at, ip, user_agent, created_at)
SELECT successor_id, session_id, user_id, :tokenHash!, :organizationId::uuid,
  now() + make_interval(days => :lifetimeDays!), session_started_at, :ip, :userAgent, clock_timestamp()
FROM revoked
RETURNING session_id;

/* @name revokeSession */
UPDATE refresh_tokens SET revoked_at = now()
WHERE session_id = :sessionId! AND user_id = :userId! AND revoked_at IS NULL AND expires_at > now()
RETURNING id;

/* Of a live token, and of one that another tab of the browser has just replaced. */
/* @name deleteSessionOfBrowser */
DELETE FROM refresh_tokens WHERE session_id = (
  SELECT held.session_id
  FROM refresh_tokens held LEFT JOIN refresh_tokens s ON s.id = held.replaced_by_id
  WHERE held.token_hash = :tokenHash! AND (
    held.revoked_at IS NULL AND held.expires_at > now()
    OR s.revoked_at IS NULL AND s.expires_at > now() AND s.created_at > now() - interval '30 seconds'));

/* One row for each session: its live token, dated by its last use. */
/* @name listSessions */
SELECT t.session_id, t.session_started_at, t.created_at, t.expires_at, t.ip, t.user_agent,
  o.id AS "organization_id?", o.name AS "organization_name?"
FROM refresh_tokens t LEFT JOIN organizations o ON o.id = t.organization_id AND NOT o.is_deleted
WHERE t.user_id = :userId! AND t.revoked_at IS NULL AND t.expires_at > now()
ORDER BY t.created_at DESC, t.id DESC;

/* Clears what has expired, and all of the sessions beyond the newest :max. */
/* @name deleteExcessSessions */
DELETE FROM refresh_tokens
WHERE user_id = :userId! AND (expires_at <= now() OR session_id IN (
  SELECT session_id FROM refresh_tokens
  WHERE user_id = :userId! AND revoked_at IS NULL AND expires_at > now()
  ORDER BY created_at DESC, id DESC OFFSET :max!));

/* @name deleteLongExpiredTokens */
DELETE FROM refresh_tokens WHERE id IN (
  SELECT id FROM refresh_tokens WHERE expires_at < now() - interval '30 days' LIMIT :max!)
RETURNING id;
