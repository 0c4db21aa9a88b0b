/* Accounts that were deleted long ago (migrations/0012_pseudonyms.sql). */

/* Ordered by the time of deletion, compared in milliseconds, and then by id. */
/* @name listAccountsToPseudonymise */
SELECT id, deleted_at AS "deleted_at!" FROM users
WHERE is_deleted AND pseudonymised_at IS NULL AND deleted_at < now() - make_interval(days => :days!)
  AND (:afterTime::timestamptz IS NULL OR (deleted_at, id) > (:afterTime, :afterId::uuid))
ORDER BY deleted_at, id LIMIT :max!;

/* @name pseudonymiseDeletedAccount */
SELECT pseudonymise_deleted_account(:id!, :days!) AS "is_done!";
