/* Totals of unfiltered lists, read in constant time (migrations/0002_row_counts.sql). */

/* @name countAll */
SELECT COALESCE(sum(rows), 0)::int AS "total!" FROM counted_rows
WHERE list = :list! AND owner IS NULL AND part IS NULL;

/* Merges deltas into totals, in one statement, so that other transactions see all of the merge or nothing. Skips
   deltas that another transaction is merging. Locks rows sorted by their key, which prevents deadlocks. */
/* @name mergeDeltas */
WITH deltas AS (
  DELETE FROM row_count_deltas WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM row_count_deltas LIMIT :max! FOR UPDATE SKIP LOCKED))
  RETURNING list, owner, part, rows
), added AS (
  INSERT INTO row_counts (list, owner, part, rows)
  SELECT list, owner, part, sum(rows) FROM deltas
  GROUP BY GROUPING SETS ((list, owner, part), (list, owner), (list))
  HAVING (GROUPING(owner) = 1 OR owner IS NOT NULL) AND (GROUPING(part) = 1 OR part IS NOT NULL)
  ORDER BY list, owner, part
  ON CONFLICT (list, owner, part) DO UPDATE SET rows = row_counts.rows + EXCLUDED.rows
)
SELECT count(*)::int AS "merged!" FROM deltas;
