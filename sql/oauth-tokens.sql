/* Returns a registered client by its id, also one that is disabled or deleted. */
/* @name findTokenClient */
SELECT is_confidential, is_enabled AND NOT is_deleted AS "is_usable!", secret_hash,
  CASE WHEN previous_secret_ends_at > now() THEN previous_secret_hash END AS "previous_secret_hash?"
FROM oauth_clients WHERE id = :id!;

/* Returns a code with what it is bound to. `is_reusable`: its grant was begun with it and has not ended. */
/* @name findCode */
SELECT c.grant_id, g.user_id, g.client_id, g.redirect_uri, g.resource, c.code_challenge, c.spent_at IS NOT NULL AS "is_spent!",
  g.redeemed_at IS NOT NULL AND g.ended_at IS NULL AS "is_live!"
FROM oauth_codes c JOIN oauth_grants g ON g.id = c.grant_id
WHERE c.token_hash = :tokenHash!;

/* Of several redemptions of a code, one changes it. */
/* @name spendCode */
UPDATE oauth_codes SET spent_at = clock_timestamp()
WHERE token_hash = :tokenHash! AND spent_at IS NULL AND expires_at > clock_timestamp()
RETURNING grant_id;

/* Begins a grant whose code was spent. What ends grants changes the same row, so one of both comes first. */
/* @name beginGrant */
UPDATE oauth_grants SET redeemed_at = now()
WHERE id = :grantId! AND redeemed_at IS NULL AND ended_at IS NULL
RETURNING id;

/* Inserts the first tokens of a grant, if it works. */
/* @name insertFirstTokens */
WITH usable AS (
  SELECT g.id, g.expires_at, g.scopes FROM usable_oauth_grants g
  WHERE g.id = :grantId! AND app_works(g, :operator!::jsonb)
), inserted AS (
  INSERT INTO oauth_tokens (token_hash, grant_id, kind, expires_at)
  SELECT made.token_hash, usable.id, made.kind, made.expires_at
  FROM usable CROSS JOIN LATERAL (VALUES
    (:refreshHash!, 'refresh', usable.expires_at),
    (:accessHash!, 'access', LEAST(usable.expires_at, now() + make_interval(secs => :accessSeconds!)))
  ) AS made (token_hash, kind, expires_at)
  RETURNING kind, expires_at
)
SELECT usable.scopes AS "scopes!", EXTRACT(EPOCH FROM inserted.expires_at - now())::int AS "seconds_left!"
FROM usable, inserted WHERE inserted.kind = 'access';

/* Returns a refresh token with its grant. `is_over`: the grant has ended or expired. `successor_hash`: the token that replaced it within
   the last :graceSeconds and was not replaced itself. */
/* @name findRefreshToken */
SELECT t.grant_id, g.user_id, g.client_id, g.resource, g.scopes, t.rotated_at IS NOT NULL AS "is_rotated!",
  g.ended_at IS NOT NULL OR g.expires_at <= now() AS "is_over!", usable.id IS NOT NULL AS "is_usable!",
  successor.token_hash AS "successor_hash?"
FROM oauth_tokens t
JOIN oauth_grants g ON g.id = t.grant_id
LEFT JOIN usable_oauth_grants usable ON usable.id = g.id AND app_works(usable, :operator!::jsonb)
LEFT JOIN oauth_tokens successor ON successor.previous_hash = t.token_hash AND successor.rotated_at IS NULL
  AND t.rotated_at > now() - make_interval(secs => :graceSeconds!)
WHERE t.token_hash = :tokenHash! AND t.kind = 'refresh';

/* Replaces a refresh token by its successor, with an access token, if the grant works. Of several at once one does, and what ends grants
   changes the row of the grant, so one of both comes first. */
/* @name rotateRefreshToken */
WITH usable AS (
  SELECT g.id, g.expires_at FROM oauth_tokens t JOIN usable_oauth_grants g ON g.id = t.grant_id
  WHERE t.token_hash = :tokenHash! AND t.kind = 'refresh' AND t.rotated_at IS NULL AND app_works(g, :operator!::jsonb)
), used AS (
  UPDATE oauth_grants SET last_used_at = now(), last_used_ip = host(:ip::inet)
  WHERE id = (SELECT id FROM usable) AND ended_at IS NULL
  RETURNING id
), rotated AS (
  UPDATE oauth_tokens SET rotated_at = clock_timestamp()
  WHERE token_hash = :tokenHash! AND rotated_at IS NULL AND grant_id = (SELECT id FROM used)
  RETURNING grant_id
), inserted AS (
  INSERT INTO oauth_tokens (token_hash, grant_id, kind, scopes, expires_at, previous_hash)
  SELECT made.token_hash, usable.id, made.kind, made.scopes, made.expires_at, made.previous_hash
  FROM rotated JOIN usable ON usable.id = rotated.grant_id CROSS JOIN LATERAL (VALUES
    (:refreshHash!, 'refresh', NULL::text[], usable.expires_at, :tokenHash!),
    (:accessHash!, 'access', :scopes::text[], LEAST(usable.expires_at, now() + make_interval(secs => :accessSeconds!)), NULL)
  ) AS made (token_hash, kind, scopes, expires_at, previous_hash)
  RETURNING kind, expires_at
)
SELECT EXTRACT(EPOCH FROM expires_at - now())::int AS "seconds_left!" FROM inserted WHERE kind = 'access';

/* Returns an access token that was given with a refresh token, for the same answer again. */
/* @name findAccessToken */
SELECT scopes, GREATEST(0, EXTRACT(EPOCH FROM expires_at - now()))::int AS "seconds_left!"
FROM oauth_tokens WHERE token_hash = :tokenHash! AND kind = 'access';

/* Returns the grant of an access or refresh token. */
/* @name findTokenOwner */
SELECT t.kind, t.grant_id, g.user_id, g.client_id FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id
WHERE t.token_hash = :tokenHash!;

/* @name endAccessToken */
UPDATE oauth_tokens SET expires_at = now() WHERE token_hash = :tokenHash! AND kind = 'access' AND expires_at > now();

/* @name deleteOldCodes */
DELETE FROM oauth_codes WHERE token_hash IN (
  SELECT token_hash FROM oauth_codes WHERE expires_at < now() - interval '1 day' ORDER BY expires_at LIMIT :max!)
RETURNING token_hash;

/* Refresh tokens expire with their grant: until then those that were replaced stay, because using one of them again is theft. */
/* @name deleteOldTokens */
DELETE FROM oauth_tokens WHERE token_hash IN (
  SELECT token_hash FROM oauth_tokens WHERE expires_at < now() - interval '1 day' ORDER BY expires_at LIMIT :max!)
RETURNING token_hash;

/* @name deleteTokensOfEndedGrants */
DELETE FROM oauth_tokens WHERE token_hash IN (
  SELECT t.token_hash FROM oauth_grants g JOIN oauth_tokens t ON t.grant_id = g.id
  WHERE g.ended_at < now() - interval '1 day' LIMIT :max!)
RETURNING token_hash;

/* Returns the grant of an app's access token with what its person holds now within the grant's unit, a row for each role. A
   token that is known and does not work has one row. Records the use, at most every ten minutes. */
/* @name verifyAppToken */
WITH token AS (
  SELECT t.grant_id, t.scopes, t.expires_at FROM oauth_tokens t WHERE t.token_hash = :tokenHash! AND t.kind = 'access'
), usable AS (
  SELECT g.* FROM token JOIN usable_oauth_grants g ON g.id = token.grant_id
  WHERE token.expires_at > now() AND app_works(g, :operator!::jsonb)
), used AS (
  UPDATE oauth_grants SET last_used_at = now(), last_used_ip = host(:ip::inet)
  WHERE id = (
    SELECT g.id FROM oauth_grants g
    WHERE g.id = (SELECT usable.id FROM usable WHERE usable.last_used_at IS NULL OR usable.last_used_at < now() - interval '10 minutes')
    FOR NO KEY UPDATE SKIP LOCKED)
)
SELECT token.grant_id, token.expires_at, token.scopes AS "token_scopes?", usable.id IS NOT NULL AS "is_usable!",
  usable.user_id AS "user_id?", usable.client_id AS "client_id?", usable.client_name AS "client_name?", usable.resource AS "resource?",
  usable.scopes AS "scopes?", usable.unit_id AS "grant_unit_id?", usable.acr AS "acr?", u.two_factor_enabled_at IS NOT NULL AS "has_two_factor!",
  COALESCE((SELECT p.require_two_factor FROM sign_on_policy p WHERE p.organization_id = usable.organization_id) AND NOT has_second_factor(u.id),
    false) AS "lacks_factor_there!",
  usable.organization_status AS "organization_status?", usable.organization_id AS "organization_id?",
  usable.organization_name AS "organization_name?", usable.organization_slug AS "organization_slug?",
  held.role_name AS "role_name?", held.permissions AS "permissions?", held.unit_id AS "unit_id?"
FROM token
LEFT JOIN usable ON true
LEFT JOIN users u ON u.id = usable.user_id
LEFT JOIN LATERAL oauth_grant_permissions(usable.membership_id, usable.unit_id) held ON true
ORDER BY held.role_name, held.assignment_id;
