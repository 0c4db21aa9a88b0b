/* Attempts of a user at passwords and codes: wrong codes at sign-in, and all passwords and codes sent in the
   profile, correct or wrong. They are counted under the user's lock, so that concurrent attempts are all counted. */

/* For each limit that is reached (:points attempts within :seconds at one place), returns the seconds until another
   attempt is allowed: until the oldest counted attempt leaves the window. Returns no row if no limit is reached. */
/* @name findLimit */
SELECT GREATEST(ceil(extract(epoch FROM max(oldest.failed_at + make_interval(secs => bound.seconds)) - clock_timestamp())), 1)::int
  AS "seconds_left!"
FROM unnest(:points!::int[], :seconds!::int[]) AS bound (points, seconds), LATERAL (
  SELECT failed_at FROM failed_attempts
  WHERE user_id = :userId! AND place = :place! AND failed_at > clock_timestamp() - make_interval(secs => bound.seconds)
  ORDER BY failed_at DESC OFFSET bound.points - 1 LIMIT 1) oldest
HAVING count(*) > 0;

/* Records an attempt. Returns the number of attempts of the last day, including this one. */
/* @name insertAttempt */
WITH inserted AS (
  INSERT INTO failed_attempts (user_id, place) VALUES (:userId!, :place!)
)
SELECT (count(*) + 1)::int AS "attempts!" FROM failed_attempts
WHERE user_id = :userId AND place = :place AND failed_at > clock_timestamp() - interval '1 day';

/* @name deleteAttemptsBefore */
DELETE FROM failed_attempts
WHERE user_id = :userId! AND place = :place! AND failed_at <= clock_timestamp() - make_interval(secs => :seconds!);

/* @name deleteOldAttempts */
DELETE FROM failed_attempts WHERE id IN (
  SELECT id FROM failed_attempts WHERE failed_at < now() - interval '1 day' LIMIT :max!)
RETURNING id;
