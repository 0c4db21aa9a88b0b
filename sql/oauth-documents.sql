/* Documents by which apps describe themselves, as they were last read at their client ids. They are fetched outside of transactions; of two
   instances that fetch one at once, the later write counts. */

/* @name findDocument */
SELECT name, redirect_uris, COALESCE(fresh_until > now(), false) AS "is_fresh!", COALESCE(failed_until > now(), false) AS "has_failed!"
FROM oauth_client_documents WHERE url = :url!;

/* Every document is fetched again after a day at most, so `last_requested_at` is at most a day late. */
/* @name storeDocument */
INSERT INTO oauth_client_documents (url, name, redirect_uris, fetched_at, fresh_until)
VALUES (:url!, :name!, :redirectUris!::text[], now(), now() + make_interval(secs => :seconds!))
ON CONFLICT (url) DO UPDATE
SET name = EXCLUDED.name, redirect_uris = EXCLUDED.redirect_uris, fetched_at = EXCLUDED.fetched_at, fresh_until = EXCLUDED.fresh_until,
  failed_until = NULL, last_requested_at = now()
RETURNING url;

/* What was read before stays in the row, and is not used: it is no longer fresh. */
/* @name storeFailure */
INSERT INTO oauth_client_documents (url, failed_until) VALUES (:url!, now() + make_interval(secs => :seconds!))
ON CONFLICT (url) DO UPDATE SET failed_until = EXCLUDED.failed_until, last_requested_at = now()
RETURNING url;

/* @name deleteOldDocuments */
DELETE FROM oauth_client_documents WHERE url IN (
  SELECT url FROM oauth_client_documents WHERE last_requested_at < now() - interval '30 days' LIMIT :max!)
RETURNING url;
