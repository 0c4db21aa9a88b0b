/* Flushes the pending lists of GIN indexes; otherwise the insert that fills a list flushes it in the foreground.
   Indexes of other owners than the function's are skipped. */
/* @name flushPendingEntries */
SELECT flush_search_indexes()::int AS "pages!";
