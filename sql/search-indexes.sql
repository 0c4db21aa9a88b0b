/* Puts what searches have pending in its place: by default, whoever adds to a list that is full does so in the foreground.
   Indexes that somebody else owns are left to them. */
/* @name flushPendingEntries */
SELECT COALESCE(sum(gin_clean_pending_list(c.oid)), 0)::int AS "pages!"
FROM pg_class c JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin'
WHERE c.relkind = 'i' AND c.relnamespace = current_schema()::regnamespace AND pg_has_role(c.relowner, 'USAGE');
