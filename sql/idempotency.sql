/* Idempotency keys (src/core/idempotency). A row older than :hours, or whose claim has ended, counts as absent. All
   times come from the database's clock. */

/* Locks an idempotency key until the transaction ends, and returns its row. Never waits: if another transaction
   with the key is running, the lock is not granted. A row that is committed between the start of the statement and
   the lock is not found; insertResponse and claimKey notice such a row. */
/* @name lockKey */
SELECT pg_try_advisory_xact_lock(hashtextextended('idempotency key:' || :callerId!::uuid || ':' || :keyHash!, 0)) AS "is_locked!",
  found.fingerprint AS "fingerprint?", found.status AS "status?", found.body AS "body?"
FROM (SELECT) once LEFT JOIN idempotency_keys found
  ON found.caller_id = :callerId AND found.key_hash = :keyHash AND found.created_at > clock_timestamp() - make_interval(hours => :hours!)
  AND (found.claimed_until IS NULL OR found.claimed_until > clock_timestamp());

/* Stores the response to a request with an idempotency key. Replaces only a row that counts as absent. Returns no row
   if there is another one. */
/* @name insertResponse */
INSERT INTO idempotency_keys (caller_id, key_hash, fingerprint, organization_id, status, body)
VALUES (:callerId!, :keyHash!, :fingerprint!, :organizationId, :status!, :body)
ON CONFLICT ON CONSTRAINT idempotency_keys_pkey DO UPDATE
SET fingerprint = excluded.fingerprint, organization_id = excluded.organization_id, status = excluded.status,
  body = excluded.body, claimed_until = NULL, created_at = excluded.created_at
WHERE idempotency_keys.created_at <= clock_timestamp() - make_interval(hours => :hours!)
  OR idempotency_keys.claimed_until <= clock_timestamp()
RETURNING caller_id;

/* Inserts a row without a response, which claims the idempotency key for a running request. `created_at` identifies
   the claim. */
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

/* Deletes the idempotency keys of a caller: of a user, also those of the apps that act for the user. */
/* @name deleteKeysOfCaller */
DELETE FROM idempotency_keys WHERE caller_id = ANY (ARRAY(
  SELECT :callerId!::uuid
  UNION ALL SELECT id FROM oauth_grants WHERE user_id = :callerId));

/* @name deleteKeysOfOrganization */
DELETE FROM idempotency_keys WHERE organization_id = :organizationId!;

/* Deletes expired idempotency keys (those of the product are kept for seven days), and keys of deleted accounts, service accounts and organizations: a request that
   ran during the deletion may have stored a key after deleteKeysOfCaller or deleteKeysOfOrganization. */
/* @name deleteOldKeys */
DELETE FROM idempotency_keys WHERE (caller_id, key_hash) IN (
  SELECT caller_id, key_hash FROM idempotency_keys
  WHERE created_at <= clock_timestamp() - make_interval(hours => :hours!)
    AND (caller_id <> :productId!::uuid OR created_at <= clock_timestamp() - interval '7 days')
  UNION ALL
  SELECT k.caller_id, k.key_hash FROM users u JOIN idempotency_keys k ON k.caller_id = u.id
  WHERE u.is_deleted AND u.pseudonymised_at IS NULL AND u.deleted_at > now() - make_interval(hours => :hours)
  UNION ALL
  SELECT k.caller_id, k.key_hash FROM service_accounts s JOIN idempotency_keys k ON k.caller_id = s.id
  WHERE s.is_deleted AND s.deleted_at > now() - make_interval(hours => :hours)
  UNION ALL
  SELECT k.caller_id, k.key_hash FROM organizations o JOIN idempotency_keys k ON k.organization_id = o.id
  WHERE o.is_deleted AND o.deleted_at > now() - make_interval(hours => :hours)
  LIMIT :max!)
RETURNING caller_id;
