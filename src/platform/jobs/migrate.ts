import { PgBoss } from "pg-boss";
import { LOCK_TIMEOUT, retryOnLockTimeout } from "../db/lock-timeout.ts";
import { connection } from "./boss.ts";
import { INDEX_UNFINISHED_JOBS } from "./pgboss-tables.ts";
import { type JobKind, RETRIES } from "./queue.ts";

const FIRST_RETRY_SECONDS = 30;
const KEPT_SECONDS = 7 * 24 * 3600;
/** The interval of heartbeats. A missing heartbeat detects a killed worker after 10 to 20 seconds. */
const HEARTBEAT_SECONDS = 10;

/**
 * Migrates the queue's own schema, creates the queues and removes the schedules of queues that no longer exist. Part of
 * `bun run migrate`.
 */
export const migrateJobs = <Host>(databaseUrl: string, kinds: JobKind<Host>[]): Promise<void> =>
  retryOnLockTimeout(() => migrateOnce(databaseUrl, kinds));

async function migrateOnce<Host>(databaseUrl: string, kinds: JobKind<Host>[]): Promise<void> {
  // Statements have no timeout, because pg-boss's migrations may take long on a large queue.
  const options = `-c lock_timeout=${LOCK_TIMEOUT}`;
  const boss = new PgBoss({ ...connection(databaseUrl, 0), options, supervise: false, schedule: false });
  boss.on("error", () => {});
  try {
    await boss.start();
    for (const { queue, schedule } of kinds) {
      const options = {
        retryLimit: RETRIES,
        retryDelay: FIRST_RETRY_SECONDS,
        retryBackoff: true,
        heartbeatSeconds: HEARTBEAT_SECONDS,
        deleteAfterSeconds: KEPT_SECONDS,
      };
      if (await boss.getQueue(queue)) await boss.updateQueue(queue, options);
      else await boss.createQueue(queue, options);
      if (schedule !== undefined) await boss.schedule(queue, schedule);
    }
    for (const { name } of await boss.getSchedules())
      if (!kinds.some(({ queue, schedule }) => queue === name && schedule !== undefined))
        await boss.unschedule(name);
    await boss.getDb().executeSql(INDEX_UNFINISHED_JOBS);
  } finally {
    await boss.stop({ graceful: false });
  }
}
