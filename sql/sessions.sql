/* A session is the chain of refresh tokens that share session_id: one live row, and the rows it replaced.
   Whatever writes here holds the user's lock, so what is read after the lock still holds at the write; but for the end
   of an organization and the daily clean-up, which only delete. */

/* @name findTokenOwner */
SELECT user_id, session_id FROM refresh_tokens WHERE token_hash = :tokenHash!;

/* A revoked token keeps a grace period, one generation deep, and only while its successor is
   alive and unused (rules 5.7). */
/* @name findRefreshToken */
SELECT t.session_id, t.user_id,
  t.revoked_at IS NOT NULL AS "is_revoked!",
  t.expires_at <= now() AS "is_expired!",
  COALESCE(s.revoked_at IS NULL AND s.expires_at > now() AND s.created_at > now() - make_interval(secs => :graceSeconds!), false)
    AS "has_fresh_successor!",
  s.token_hash AS "successor_hash?", s.organization_id AS "successor_organization_id?",
  u.email, u.language, u.is_platform_admin, u.two_factor_enabled_at IS NOT NULL AS "has_two_factor!"
FROM refresh_tokens t
JOIN users u ON u.id = t.user_id AND NOT u.is_deleted
LEFT JOIN refresh_tokens s ON s.id = t.replaced_by_id
WHERE t.token_hash = :tokenHash!;

/* The lock of the user whose session a token is. A token never changes hands, so it may be found by the statement that
   waits; what else is known of it is read by later statements. */
/* @name lockTokenOwner */
SELECT pg_advisory_xact_lock(hashtextextended('user:' || user_id, 0)) IS NULL AS "locked"
FROM refresh_tokens WHERE token_hash = :tokenHash!;

/* The locks of a user and of whoever's session a token is, in the order of their ids. Either may be null. */
/* @name lockForSignIn */
SELECT pg_advisory_xact_lock(hashtextextended('user:' || user_id, 0)) IS NULL AS "locked"
FROM (
  SELECT :userId::uuid AS user_id UNION SELECT user_id FROM refresh_tokens WHERE token_hash = :tokenHash
  ORDER BY user_id
) ids;

/* Rows are dated by clock_timestamp(): now() is when the transaction began, and one that waited long for the lock
   would look older than the rows that were written meanwhile, to the grace and to the cap. */
/* Begins a session in the organization where the user acted last, and answers the grants there as
   listActiveOrganizationGrants does; one row without an organization where there is none. */
/* @name insertSession */
WITH grants AS (
  SELECT active.* FROM users u, active_organization_grants(u.id, u.last_organization_id) active
  WHERE u.id = :userId! AND NOT u.is_platform_admin
), inserted AS (
  INSERT INTO refresh_tokens (session_id, user_id, token_hash, organization_id, expires_at, ip, user_agent, created_at)
  VALUES (uuidv7(), :userId!, :tokenHash!, (SELECT organization_id FROM grants LIMIT 1),
    now() + make_interval(days => :lifetimeDays!), :ip, :userAgent, clock_timestamp())
  RETURNING session_id
)
SELECT session_id, organization_id AS "organization_id?", organization_name AS "organization_name?",
  organization_slug AS "organization_slug?", role_name AS "role_name?", permissions AS "permissions?", unit_id AS "unit_id?"
FROM inserted LEFT JOIN grants ON true
ORDER BY role_name, assignment_id;

/* Locking, revoking and replacing are one statement, which needs no transaction around it: a token is rotated once, or not
   at all, and then no row is returned. The snapshot is from before the lock was granted, so only what cannot change is read
   from it: whose token it is, and that it is no longer live. The update checks again, on the newest version of the row,
   that the token is live, and session_grants is volatile and so takes a new snapshot. After :untilTime, which may be null,
   nothing is rotated: a server that was away may get the statement when nobody waits for the cookie any more. The session continues in the
   preferred organization, else in its own, and the rows are its grants as above. */
/* @name rotateRefreshToken */
WITH held AS MATERIALIZED (
  SELECT t.id, t.user_id, COALESCE(:preferredId::uuid, t.organization_id) AS preferred_id,
    pg_advisory_xact_lock(hashtextextended('user:' || t.user_id, 0)) IS NULL AS locked
  FROM refresh_tokens t WHERE t.token_hash = :tokenHash! AND t.revoked_at IS NULL AND t.expires_at > now()
), grants AS MATERIALIZED (
  SELECT granted.* FROM held, session_grants(held.user_id, held.preferred_id) granted
), successor AS (
  SELECT uuidv7() AS id, organization_id FROM grants
  WHERE :untilTime::timestamptz IS NULL OR clock_timestamp() < :untilTime::timestamptz LIMIT 1
), revoked AS (
  UPDATE refresh_tokens t SET revoked_at = now(), replaced_by_id = successor.id
  FROM held, successor
  WHERE t.id = held.id AND t.revoked_at IS NULL AND t.expires_at > now()
  RETURNING successor.id AS successor_id, successor.organization_id, t.session_id, t.user_id, t.session_started_at
), inserted AS (
  INSERT INTO refresh_tokens
    (id, session_id, user_id, token_hash, organization_id, expires_at, session_started_at, ip, user_agent, created_at)
  SELECT successor_id, session_id, user_id, :successorHash!, organization_id,
    now() + make_interval(days => :lifetimeDays!), session_started_at, :ip, :userAgent, clock_timestamp()
  FROM revoked
)
SELECT user_id, session_id, is_platform_admin AS "is_platform_admin!", has_two_factor AS "has_two_factor!",
  grants.organization_id AS "organization_id?",
  organization_name AS "organization_name?", organization_slug AS "organization_slug?", role_name AS "role_name?",
  permissions AS "permissions?", unit_id AS "unit_id?"
FROM revoked, grants
ORDER BY role_name, assignment_id;

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
    OR s.revoked_at IS NULL AND s.expires_at > now() AND s.created_at > now() - make_interval(secs => :graceSeconds!)));

/* One row for each session: its live token, dated by its last use. */
/* @name listSessions */
SELECT t.session_id, t.session_started_at, t.created_at, t.expires_at, t.ip, t.user_agent,
  o.id AS "organization_id?", o.name AS "organization_name?"
FROM refresh_tokens t LEFT JOIN organizations o ON o.id = t.organization_id AND NOT o.is_deleted
WHERE t.user_id = :userId! AND t.revoked_at IS NULL AND t.expires_at > now()
ORDER BY t.created_at DESC, t.id DESC;

/* Clears what has expired, and all of the sessions beyond the newest :max. By arrays, so that indexes lead to what is
   deleted: usually nothing, among thousands of tokens. */
/* @name deleteExcessSessions */
DELETE FROM refresh_tokens WHERE id = ANY (ARRAY(
  SELECT id FROM refresh_tokens WHERE user_id = :userId! AND expires_at <= now()
  UNION ALL
  SELECT id FROM refresh_tokens WHERE session_id = ANY (ARRAY(
    SELECT session_id FROM refresh_tokens
    WHERE user_id = :userId! AND revoked_at IS NULL AND expires_at > now()
    ORDER BY created_at DESC, id DESC OFFSET :max!))));

/* @name deleteLongExpiredTokens */
DELETE FROM refresh_tokens WHERE id IN (
  SELECT id FROM refresh_tokens WHERE expires_at < now() - interval '30 days' LIMIT :max!)
RETURNING id;
