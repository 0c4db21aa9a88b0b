import type { Queryable } from "../platform/db/prepared-query.ts";

/** A query that deletes expired rows, at most `max` at a time, and returns the deleted rows. */
export type RetentionQuery = {
  run(params: { max: number }, db: Queryable): Promise<unknown[]>;
};
