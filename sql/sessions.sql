/* A session is the chain of refresh tokens that share session_id: one live row, and the rows that it replaced.
   Every write is under the user's lock, so data that was read after the lock is still valid at the write.
   Exceptions: the end of an organization and the daily clean-up, which only delete. */

/* @name findTokenOwner */
SELECT user_id, session_id, clock_timestamp() AS "time!" FROM refresh_tokens WHERE token_hash = :tokenHash!;

/* Returns a refresh token with its owner and the live token of its session. A replaced token stays valid for a grace
   period, but only while its direct successor is live and unused (rules 5.7). A token that was replaced, or whose grace
   period ended, after :arrivedAt does not count as reused (rules 5.8). */
/* @name findRefreshToken */
SELECT t.session_id, t.user_id,
  t.revoked_at IS NOT NULL AS "is_revoked!",
  t.expires_at <= now() AS "is_expired!",
  t.revoked_at IS NOT NULL AND t.revoked_at <= :arrivedAt! AND (
    s.id IS NULL OR s.created_at <= :arrivedAt!::timestamptz - make_interval(secs => :graceSeconds!) OR s.expires_at <= now()
    OR (s.revoked_at <= :arrivedAt!) IS TRUE) AS "is_reused!",
  live.id IS NOT NULL AS "is_session_live!", live.organization_id AS "live_organization_id?", s.token_hash AS "successor_hash?",
  u.email, u.language, u.is_platform_admin, u.two_factor_enabled_at IS NOT NULL AS "has_two_factor!",
  COALESCE(live.proof, '{}') AS "proof!"
FROM refresh_tokens t
JOIN users u ON u.id = t.user_id AND NOT u.is_deleted
LEFT JOIN refresh_tokens s ON s.id = t.replaced_by_id
LEFT JOIN refresh_tokens live ON live.session_id = t.session_id AND live.revoked_at IS NULL AND live.expires_at > now()
WHERE t.token_hash = :tokenHash!;

/* Locks the owner of a refresh token, and returns when the request arrived on the clock of the database: when this
   statement is sent, the request has waited for :waitedSeconds. The owner of a token never changes, so this statement
   may read it before it waits for the lock. Everything else about the token is read by later statements. */
/* @name lockTokenOwner */
SELECT pg_advisory_xact_lock(hashtextextended('user:' || user_id, 0)) IS NULL AS "locked",
  statement_timestamp() - make_interval(secs => :waitedSeconds!) AS "arrived_at!"
FROM refresh_tokens WHERE token_hash = :tokenHash!;

/* Locks the given user and the owner of a refresh token, sorted by id. User or token may be null. */
/* @name lockForSignIn */
SELECT pg_advisory_xact_lock(hashtextextended('user:' || user_id, 0)) IS NULL AS "locked"
FROM (
  SELECT :userId::uuid AS user_id UNION SELECT user_id FROM refresh_tokens WHERE token_hash = :tokenHash
  ORDER BY user_id
) ids;

/* Refresh tokens are dated by clock_timestamp(). now() is the start of the transaction: after a long wait for the
   lock, a new token would look older than tokens that were written meanwhile. That matters for the grace period and
   the session limit. Likewise, a token that is revoked after a long wait would look revoked to requests that arrived
   while it was live (rules 5.8); a revocation is rounded down, so it is never later than a request that follows it. */
/* Starts a session with its first proof of identity (rules 33.1): the account's own or, with :connectionId, one by a connection (rules
   38), which begins in the organization of the connection. Otherwise the session begins where the user acted last. Returns the
   user's grants there, like listActiveOrganizationGrants. Returns one row without an organization if there is none. */
/* @name insertSession */
WITH shown AS (
  SELECT CASE WHEN :connectionId::uuid IS NULL THEN jsonb_build_object(
      'auth_time', floor(extract(epoch FROM now()))::bigint, 'acr', (:factors!::smallint)::text, 'amr', :amr!::text[])
    ELSE jsonb_build_object('sso', jsonb_build_object(
      :organizationId::text, sso_proof(:connectionId::uuid, :factors!::smallint, now()::timestamptz(3)))) END AS proof
), grants AS (
  SELECT active.*
  FROM users u, shown, active_organization_grants(u.id, COALESCE(:organizationId::uuid, u.last_organization_id), shown.proof, :ssoHours::int) active
  WHERE u.id = :userId! AND NOT u.is_platform_admin
), inserted AS (
  INSERT INTO refresh_tokens (session_id, user_id, token_hash, organization_id, expires_at, ip, user_agent, created_at)
  VALUES (uuidv7(), :userId!, :tokenHash!, (SELECT organization_id FROM grants LIMIT 1),
    now() + make_interval(days => :lifetimeDays!), :ip, :userAgent, clock_timestamp())
  RETURNING session_id
), proven AS (
  INSERT INTO session_proofs (session_id, user_id, kind, factors, amr, connection_id)
  SELECT session_id, :userId!, :kind!, :factors!::smallint, :amr!::text[], :connectionId::uuid FROM inserted
)
SELECT session_id, organization_id AS "organization_id?", organization_name AS "organization_name?",
  organization_slug AS "organization_slug?", role_name AS "role_name?", permissions AS "permissions?", unit_id AS "unit_id?",
  COALESCE(grants.claims, shown.proof - 'sso') AS "claims!", NOT shown.proof ? 'auth_time' AS "is_confined!", ends_at AS "ends_at?",
  COALESCE(breaks_glass, false) AS "breaks_glass!"
FROM inserted CROSS JOIN shown LEFT JOIN grants ON true
ORDER BY role_name, assignment_id;

/* Rotates a refresh token: locks, revokes and replaces it in one statement, without a transaction around it. A
   token is rotated at most once; if it is not rotated, no row is returned.
   - The snapshot is older than the lock, so only facts that cannot change are read from it: the token's owner, and
     that it is no longer live. The UPDATE checks on the newest version of the row that the token is live.
     session_grants is volatile, so it takes a new snapshot.
   - After :untilTime (null: no limit) nothing is rotated. A database that was unreachable may run the statement
     when no client waits for the cookie any more.
   - `IS TRUE` and `(SELECT id FROM token)` make the planner look the token up by its keys. Otherwise a plan that was
     cached when there were few tokens would read all live tokens at every refresh (docs/decisions/0031).
   - The session continues in the preferred organization, otherwise in its own. The returned rows are the grants
     there, as in insertSession. The proof is that of the replaced row, which a trigger changes with the proofs of
     the session. */
/* @name rotateRefreshToken */
WITH token AS MATERIALIZED (
  SELECT t.id, t.user_id, COALESCE(:preferredId::uuid, t.organization_id) AS preferred_id,
    pg_advisory_xact_lock(hashtextextended('user:' || t.user_id, 0)) IS NULL AS locked
  FROM refresh_tokens t WHERE t.token_hash = :tokenHash! AND (t.revoked_at IS NULL AND t.expires_at > now()) IS TRUE
), grants AS MATERIALIZED (
  SELECT granted.* FROM token, session_grants(token.user_id, token.preferred_id, token.id, :ssoHours::int) granted
), successor AS (
  SELECT uuidv7() AS id, organization_id, clock_timestamp()::timestamptz(3) AS created_at FROM grants
  WHERE :untilTime::timestamptz IS NULL OR clock_timestamp() < :untilTime::timestamptz LIMIT 1
), revoked AS (
  UPDATE refresh_tokens t SET revoked_at = date_trunc('milliseconds', clock_timestamp()), replaced_by_id = successor.id
  FROM successor
  WHERE t.id = (SELECT id FROM token) AND (t.revoked_at IS NULL AND t.expires_at > now()) IS TRUE
  RETURNING successor.id AS successor_id, successor.organization_id, successor.created_at, t.session_id, t.user_id,
    t.session_started_at, t.proof,
    (t.organization_id = successor.organization_id
      AND (t.created_at AT TIME ZONE 'UTC')::date = (successor.created_at AT TIME ZONE 'UTC')::date) IS NOT TRUE AS records_activity
), inserted AS (
  INSERT INTO refresh_tokens
    (id, session_id, user_id, token_hash, organization_id, expires_at, session_started_at, ip, user_agent, created_at, proof,
      records_activity)
  SELECT successor_id, session_id, user_id, :successorHash!, organization_id,
    now() + make_interval(days => :lifetimeDays!), session_started_at, :ip, :userAgent, created_at, proof,
    records_activity
  FROM revoked
)
SELECT user_id, session_id, is_platform_admin AS "is_platform_admin!", has_two_factor AS "has_two_factor!",
  grants.claims AS "claims!", NOT proof ? 'auth_time' AS "is_confined!", grants.ends_at AS "ends_at?",
  COALESCE(grants.breaks_glass, false) AS "breaks_glass!",
  grants.organization_id AS "organization_id?",
  organization_name AS "organization_name?", organization_slug AS "organization_slug?", role_name AS "role_name?",
  permissions AS "permissions?", unit_id AS "unit_id?"
FROM revoked, grants
ORDER BY role_name, assignment_id;

/* @name revokeSession */
UPDATE refresh_tokens SET revoked_at = date_trunc('milliseconds', clock_timestamp())
WHERE session_id = :sessionId! AND user_id = :userId! AND revoked_at IS NULL AND expires_at > now()
RETURNING id;

/* Ends the session of a live token, or of a token that another browser tab has just replaced. */
/* @name deleteSessionOfBrowser */
DELETE FROM refresh_tokens WHERE session_id = (
  SELECT cookie.session_id
  FROM refresh_tokens cookie LEFT JOIN refresh_tokens s ON s.id = cookie.replaced_by_id
  WHERE cookie.token_hash = :tokenHash! AND (
    cookie.revoked_at IS NULL AND cookie.expires_at > now()
    OR s.revoked_at IS NULL AND s.expires_at > now() AND s.created_at > now() - make_interval(secs => :graceSeconds!)));

/* Returns one row per session, or one session: its live token, with the time of its last use. */
/* @name listSessions */
SELECT t.session_id, t.session_started_at, t.created_at, t.expires_at, t.ip, t.user_agent,
  o.id AS "organization_id?", o.name AS "organization_name?", NOT COALESCE(t.proof ? 'auth_time', true) AS "is_confined!"
FROM refresh_tokens t LEFT JOIN organizations o ON o.id = t.organization_id AND NOT o.is_deleted
WHERE t.user_id = :userId! AND t.revoked_at IS NULL AND t.expires_at > now() AND (:sessionId::uuid IS NULL OR t.session_id = :sessionId::uuid)
ORDER BY t.created_at DESC, t.id DESC;

/* Deletes a user's expired rows, and all rows of the sessions beyond the newest :max. Selects them by arrays, so
   that indexes find the rows to delete: usually none among thousands of tokens. */
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
