/* Idempotency keys (src/core/idempotency). A row older than :hours, or whose claim has ended, counts as absent. All times
   are the database's. */

/* Locks a key until the transaction ends, and returns its row. Never waits: the lock is not granted while another
   transaction with the key runs. A row that is committed after the statement began and before the lock is granted is
   not found; insertAnswer and claimKey notice it. */
/* @name lockKey */
SELECT pg_try_advisory_xact_lock(hashtextextended('idempotency key:' || :callerId!::uuid || ':' || :keyHash!, 0)) AS "is_locked!",
  found.fingerprint AS "fingerprint?", found.status AS "status?", found.body AS "body?"
FROM (SELECT) once LEFT JOIN idempotency_keys found
  ON found.caller_id = :callerId AND found.key_hash = :keyHash AND found.created_at > clock_timestamp() - make_interval(hours => :hours!)
  AND (found.claimed_until IS NULL OR found.claimed_until > clock_timestamp());

/* Replaces only a row that counts as absent; if there is another one, the transaction is retried and finds it. */
/* @name insertAnswer */
WITH written AS (
  INSERT INTO idempotency_keys (caller_id, key_hash, fingerprint, organization_id, status, body)
  VALUES (:callerId!, :keyHash!, :fingerprint!, :organizationId, :status!, :body)
  ON CONFLICT ON CONSTRAINT idempotency_keys_pkey DO UPDATE
  SET fingerprint = excluded.fingerprint, organization_id = excluded.organization_id, status = excluded.status,
    body = excluded.body, claimed_until = NULL, created_at = excluded.created_at
  WHERE idempotency_keys.created_at <= clock_timestamp() - make_interval(hours => :hours!)
    OR idempotency_keys.claimed_until <= clock_timestamp()
  RETURNING 1
)
SELECT raise_serialization_failure() WHERE NOT EXISTS (SELECT FROM written);

/* Like insertAnswer, without an answer yet. `created_at` identifies the claim. */
/* @name claimKey */
INSERT INTO idempotency_keys (caller_id, key_hash, fingerprint, organization_id, claimed_until)
VALUES (:callerId!, :keyHash!, :fingerprint!, :organizationId, clock_timestamp() + make_interval(secs => :seconds!::int))
ON CONFLICT ON CONSTRAINT idempotency_keys_pkey DO UPDATE
SET fingerprint = excluded.fingerprint, organization_id = excluded.organization_id, status = NULL, body = NULL,
  claimed_until = excluded.claimed_until, created_at = excluded.created_at
WHERE idempotency_keys.created_at <= clock_timestamp() - make_interval(hours => :hours!)
  OR idempotency_keys.claimed_until <= clock_timestamp()
RETURNING created_at;

/* @name renewClaim */
UPDATE idempotency_keys SET claimed_until = clock_timestamp() + make_interval(secs => :seconds!::int)
WHERE caller_id = :callerId! AND key_hash = :keyHash! AND created_at = :claimedAt! AND status IS NULL;

/* @name completeClaim */
UPDATE idempotency_keys SET status = :status!, body = :body, claimed_until = NULL
WHERE caller_id = :callerId! AND key_hash = :keyHash! AND created_at = :claimedAt! AND status IS NULL
RETURNING caller_id;

/* @name releaseClaim */
DELETE FROM idempotency_keys
WHERE caller_id = :callerId! AND key_hash = :keyHash! AND created_at = :claimedAt! AND status IS NULL;

/* @name deleteKeysOfCaller */
DELETE FROM idempotency_keys WHERE caller_id = :callerId!;

/* Deletes expired keys, and keys of accounts that were deleted: a request that ran during the deletion may have stored one
   after deleteKeysOfCaller. */
/* @name deleteOldKeys */
DELETE FROM idempotency_keys WHERE (caller_id, key_hash) IN (
  SELECT caller_id, key_hash FROM idempotency_keys
  WHERE created_at <= clock_timestamp() - make_interval(hours => :hours!)
  UNION ALL
  SELECT k.caller_id, k.key_hash FROM users u JOIN idempotency_keys k ON k.caller_id = u.id
  WHERE u.is_deleted AND u.pseudonymised_at IS NULL AND u.deleted_at > now() - make_interval(hours => :hours)
  LIMIT :max!)
RETURNING caller_id;
