/* Wrong codes of a user at sign-in, and all passwords and codes in the profile, correct or wrong. Counted under the user's
   lock, so that concurrent attempts are all counted. */

/* Another attempt is allowed when the oldest of the latest :max has left the window. No row if there were fewer. */
/* @name findLimit */
SELECT GREATEST(ceil(extract(epoch FROM failed_at + make_interval(mins => :windowMinutes!) - clock_timestamp())), 1)::int
  AS "seconds_left!"
FROM failed_attempts
WHERE user_id = :userId! AND place = :place! AND failed_at > clock_timestamp() - make_interval(mins => :windowMinutes!)
ORDER BY failed_at DESC OFFSET :max!::int - 1 LIMIT 1;

/* @name insertAttempt */
INSERT INTO failed_attempts (user_id, place) VALUES (:userId!, :place!);

/* @name deleteOldAttempts */
DELETE FROM failed_attempts WHERE id IN (
  SELECT id FROM failed_attempts WHERE failed_at < now() - interval '1 day' LIMIT :max!)
RETURNING id;
