import type { Queryable } from "../db/prepared-query.ts";
import { INSERT_JOB } from "./pgboss-tables.ts";

/** Adds a job to a queue. The job runs after the transaction of `db` was committed. */
export async function insertJob(db: Queryable, queue: string, data: object): Promise<void> {
  await db.query(INSERT_JOB, [queue, JSON.stringify(data)]);
}
