/* How many rows unfiltered lists have, whatever their length (migrations/0023_row_counts.sql). */

/* @name countAll */
SELECT COALESCE(sum(rows), 0)::int AS "total!" FROM counted_rows
WHERE list = :list! AND owner IS NULL AND part IS NULL;

/* @name countOfOwner */
SELECT COALESCE(sum(rows), 0)::int AS "total!" FROM counted_rows
WHERE list = :list! AND owner = :owner! AND part IS NULL;

/* Adds deltas to what they are part of, in one statement, so that another sees all of it or nothing. Those that somebody
   else is adding are left to them. In the order of the key, so that two who add to the same wait for each other once. */
/* @name mergeDeltas */
WITH taken AS (
  DELETE FROM row_count_deltas WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM row_count_deltas LIMIT :max! FOR UPDATE SKIP LOCKED))
  RETURNING list, owner, part, rows
), added AS (
  INSERT INTO row_counts (list, owner, part, rows)
  SELECT list, owner, part, sum(rows) FROM taken
  GROUP BY GROUPING SETS ((list, owner, part), (list, owner), (list))
  HAVING (GROUPING(owner) = 1 OR owner IS NOT NULL) AND (GROUPING(part) = 1 OR part IS NOT NULL)
  ORDER BY list, owner, part
  ON CONFLICT (list, owner, part) DO UPDATE SET rows = row_counts.rows + EXCLUDED.rows
)
SELECT count(*)::int AS "merged!" FROM taken;
