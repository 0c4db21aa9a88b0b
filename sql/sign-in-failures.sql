/* Failed sign-ins by email and hour, over all instances and addresses. */

/* The failures of the current hour and how long it lasts. No row if there were none. */
/* @name findFailures */
SELECT failures, known_address,
  GREATEST(ceil(extract(epoch FROM started_at + interval '1 hour' - clock_timestamp())), 1)::int AS "seconds_left!"
FROM sign_in_failures
WHERE email_digest = :emailDigest! AND started_at > clock_timestamp() - interval '1 hour';

/* @name countFailure */
INSERT INTO sign_in_failures AS f (email_digest, failures) VALUES (:emailDigest!, 1)
ON CONFLICT (email_digest) DO UPDATE SET
  failures = CASE WHEN f.started_at > now() - interval '1 hour' THEN f.failures + 1 ELSE 1 END,
  started_at = CASE WHEN f.started_at > now() - interval '1 hour' THEN f.started_at ELSE now() END;

/* @name forgetFailures */
INSERT INTO sign_in_failures (email_digest, failures, known_address) VALUES (:emailDigest!, 0, :address)
ON CONFLICT (email_digest) DO UPDATE SET failures = 0, started_at = now(), known_address = EXCLUDED.known_address;

/* Addresses from which sessions of the account were started or continued, as far as their rows are kept. */
/* @name listSessionAddresses */
SELECT DISTINCT t.ip AS "ip!" FROM refresh_tokens t JOIN users u ON u.id = t.user_id
WHERE u.email = :email! AND NOT u.is_deleted AND t.ip IS NOT NULL;

/* @name deleteOldFailures */
DELETE FROM sign_in_failures WHERE email_digest IN (
  SELECT email_digest FROM sign_in_failures WHERE started_at < now() - interval '1 day' LIMIT :max!)
RETURNING email_digest;
