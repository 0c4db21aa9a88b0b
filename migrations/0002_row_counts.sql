-- The number of rows in unfiltered lists, known without counting them. A trigger of the counted table adds a delta in the transaction of
-- the change and updates nothing, so that no writer waits for another; a job merges the deltas (sql/row-counts.sql). The sum of both
-- tables is as exact in the snapshot of a statement as a count of the rows. Each counted table has its triggers in its own migration.
-- docs/deploy/backup/recount.sql repairs the totals.

CREATE TABLE row_counts (
  -- The name of the list. The trigger of its table has it as an argument.
  list text NOT NULL,
  -- An organization, a person or a webhook endpoint. Null: the total of all owners.
  owner uuid,
  -- For records of an organization that members own: the member. Null: the total of the owner.
  part uuid,
  rows integer NOT NULL,
  CONSTRAINT row_counts_unique UNIQUE NULLS NOT DISTINCT (list, owner, part)
);

-- Without a key, because deltas are summed and never looked up. Rows stay for a minute, so they are vacuumed early.
-- Vacuum keeps empty pages: a plan that is made for a table without pages would read all later rows sequentially.
CREATE TABLE row_count_deltas (
  list text NOT NULL,
  owner uuid,
  part uuid,
  rows integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = off);

CREATE INDEX row_count_deltas_sums ON row_count_deltas (list, owner, part) INCLUDE (rows);

-- The total for (list, owner, part) is the sum of its rows in this view; nulls match nulls. A delta counts for its part, its owner and
-- the whole list. The planner leaves out the branches that a query does not ask for.
CREATE VIEW counted_rows AS
  SELECT list, owner, part, rows FROM row_counts
  UNION ALL
  SELECT list, owner, part, rows FROM row_count_deltas WHERE part IS NOT NULL
  UNION ALL
  SELECT list, owner, NULL, rows FROM row_count_deltas WHERE owner IS NOT NULL
  UNION ALL
  SELECT list, NULL, NULL, rows FROM row_count_deltas;

-- Counts changed rows of a list without owners. The list has the name of the table.
CREATE FUNCTION whole_table_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT OLD.is_deleted THEN
    INSERT INTO row_count_deltas (list, rows) VALUES (TG_TABLE_NAME, -1);
  END IF;
  IF TG_OP = 'UPDATE' AND NOT NEW.is_deleted THEN
    INSERT INTO row_count_deltas (list, rows) VALUES (TG_TABLE_NAME, 1);
  END IF;
  RETURN NULL;
END $$;

-- Counts inserted rows of a list without owners.
CREATE FUNCTION whole_table_count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (list, rows)
  SELECT TG_TABLE_NAME, count(*) FROM added WHERE NOT is_deleted HAVING count(*) > 0;
  RETURN NULL;
END $$;
