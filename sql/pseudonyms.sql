/* Replaces the email and name of accounts that were deleted long ago by pseudonyms
   (migrations/0018_pseudonyms.sql). */

/* Returns accounts that are due, ordered by the time of deletion in milliseconds and then by id. */
/* @name listAccountsToPseudonymise */
SELECT id, deleted_at AS "deleted_at!" FROM users
WHERE is_deleted AND pseudonymised_at IS NULL AND deleted_at < now() - make_interval(days => :days!)
  AND (:afterTime::timestamptz IS NULL OR (deleted_at, id) > (:afterTime, :afterId::uuid))
ORDER BY deleted_at, id LIMIT :max!;

/* Replaces the email in stored responses to other callers. Responses to the deleted account were deleted with it. */
/* @name pseudonymiseStoredResponses */
UPDATE idempotency_keys SET body = regexp_replace(body,
  (SELECT string_agg(pattern_of_json(email), '|') FROM unnest(emails_of_account(u.id)) email), to_json(pseudonym_of(u.id))::text, 'g')
FROM users u
WHERE u.id = :id! AND u.is_deleted AND u.pseudonymised_at IS NULL AND u.deleted_at < now() - make_interval(days => :days!)
  AND EXISTS (SELECT FROM unnest(emails_of_account(u.id)) email WHERE strpos(body, to_json(email)::text) > 0);

/* @name pseudonymiseDeletedAccount */
SELECT pseudonymise_deleted_account(:id!, :days!) AS "is_done!";
