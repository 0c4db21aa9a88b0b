/* Sign-ins that an account has had before. Written under the user's lock. */

/* Records the browser and network of a sign-in. Returns whether its owner is to be told: it is not among those of the last
   90 days, not the first of the account, and fewer than :alerts alerts were written in the last :seconds, dismissed ones included.
   Of sign-ins from one new pair at once, only the one that inserts the row finds no `old` one. */
/* @name recordSignIn */
WITH earlier AS MATERIALIZED (
  SELECT EXISTS (SELECT FROM known_sign_ins WHERE user_id = :userId!) AS is_any
), recorded AS (
  INSERT INTO known_sign_ins (user_id, digest, last_seen_at) VALUES (:userId!, decode(:digest!, 'hex'), now())
  ON CONFLICT (user_id, digest) DO UPDATE SET last_seen_at = excluded.last_seen_at
  RETURNING (old.last_seen_at > now() - interval '90 days') IS NOT TRUE AS is_new
)
SELECT recorded.is_new AND earlier.is_any AND (
  SELECT count(*) FROM notifications
  WHERE user_id = :userId AND type = 'NEW_SIGN_IN' AND created_at > now() - make_interval(secs => :seconds!)
) < :alerts! AS "is_new!"
FROM recorded, earlier;

/* @name deleteKnownSignIns */
DELETE FROM known_sign_ins WHERE user_id = :userId!;

/* @name deleteOldSignIns */
DELETE FROM known_sign_ins WHERE (user_id, digest) IN (
  SELECT user_id, digest FROM known_sign_ins WHERE last_seen_at < now() - interval '90 days' LIMIT :max!)
RETURNING user_id;
