/* Wrong codes of a user at signing in, and their passwords and codes in the profile, be they right or wrong; counted under a
   lock, so that no two are counted as one. */

/* When the oldest of the latest :max is 15 minutes ago, one more may be tried. No row where there were fewer. */
/* @name findLimit */
SELECT GREATEST(ceil(extract(epoch FROM failed_at + interval '15 minutes' - clock_timestamp())), 1)::int
  AS "seconds_left!"
FROM failed_attempts
WHERE user_id = :userId! AND place = :place! AND failed_at > clock_timestamp() - interval '15 minutes'
ORDER BY failed_at DESC OFFSET :max!::int - 1 LIMIT 1;

/* @name insertAttempt */
INSERT INTO failed_attempts (user_id, place) VALUES (:userId!, :place!);

/* @name deleteOldAttempts */
DELETE FROM failed_attempts WHERE id IN (
  SELECT id FROM failed_attempts WHERE failed_at < now() - interval '1 day' LIMIT :max!)
RETURNING id;
