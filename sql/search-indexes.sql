/* Flushes the pending lists of GIN indexes; otherwise the insert that fills a pending list has to flush it. Skips
   indexes that belong to another owner than the function. */
/* @name flushPendingEntries */
SELECT flush_search_indexes()::int AS "pages!";
