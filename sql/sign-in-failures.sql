/* Failed sign-ins by email, over all instances, in windows of :seconds that begin with the first failure, each with the
   number of failures from each IP address. */

/* Returns the failures of the current window, those from one IP address, and the seconds until it ends. Returns no row
   if there are none. */
/* @name findFailures */
SELECT failures, COALESCE((failures_by_address ->> :address!::text)::int, 0) AS "failures_of_address!", known_address,
  COALESCE(refused_at >= started_at, false) AS "is_refusal_recorded!",
  GREATEST(ceil(extract(epoch FROM started_at + make_interval(secs => :seconds!) - clock_timestamp())), 1)::int AS "seconds_left!"
FROM sign_in_failures
WHERE email_digest = :emailDigest! AND started_at > clock_timestamp() - make_interval(secs => :seconds);

/* @name countFailure */
INSERT INTO sign_in_failures AS f (email_digest, failures, failures_by_address)
VALUES (:emailDigest!, 1, jsonb_build_object(:address!::text, 1))
ON CONFLICT (email_digest) DO UPDATE SET
  failures = CASE WHEN f.started_at > now() - make_interval(secs => :seconds!) THEN f.failures + 1 ELSE 1 END,
  failures_by_address = CASE WHEN f.started_at > now() - make_interval(secs => :seconds!)
    THEN f.failures_by_address
      || jsonb_build_object(:address::text, COALESCE((f.failures_by_address ->> :address::text)::int, 0) + 1)
    ELSE EXCLUDED.failures_by_address END,
  started_at = CASE WHEN f.started_at > now() - make_interval(secs => :seconds!) THEN f.started_at ELSE now() END;

/* Records that sign-ins are refused. Returns a row only for the first refusal in a window. */
/* @name recordRefusal */
UPDATE sign_in_failures SET refused_at = now()
WHERE email_digest = :emailDigest! AND (refused_at >= started_at) IS NOT TRUE
RETURNING email_digest;

/* @name forgetFailures */
INSERT INTO sign_in_failures (email_digest, failures, known_address) VALUES (:emailDigest!, 0, :address)
ON CONFLICT (email_digest) DO UPDATE SET
  failures = 0, failures_by_address = '{}', refused_at = NULL, started_at = now(), known_address = EXCLUDED.known_address;

/* Returns the IP addresses from which sessions of the account were started or continued. Only rows that still exist
   are read. */
/* @name listSessionAddresses */
SELECT DISTINCT t.ip AS "ip!" FROM refresh_tokens t JOIN users u ON u.id = t.user_id
WHERE u.email = :email! AND NOT u.is_deleted AND t.ip IS NOT NULL;

/* @name deleteOldFailures */
DELETE FROM sign_in_failures WHERE email_digest IN (
  SELECT email_digest FROM sign_in_failures WHERE started_at < now() - interval '1 day' LIMIT :max!)
RETURNING email_digest;
