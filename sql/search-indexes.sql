/* Flushes the pending lists of GIN indexes; otherwise the insert that fills a list flushes it in the foreground.
   Indexes of other owners are skipped. */
/* @name flushPendingEntries */
SELECT COALESCE(sum(gin_clean_pending_list(c.oid)), 0)::int AS "pages!"
FROM pg_class c JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin'
WHERE c.relkind = 'i' AND c.relnamespace = current_schema()::regnamespace AND pg_has_role(c.relowner, 'USAGE');
