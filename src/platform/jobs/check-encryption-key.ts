import type { PgBoss } from "pg-boss";
import type { Cipher } from "../crypto.ts";
import type { Logger } from "../log.ts";
import { COUNT_UNREADABLE_JOBS } from "./pgboss-tables.ts";

/**
 * Logs at the start if there are jobs that this key cannot decrypt, while the old key can still be restored. Such
 * jobs are run like all others, because an instance with their key may still be running. They are kept after they
 * have failed.
 */
export async function checkEncryptionKeyOfJobs(boss: PgBoss, { keyIds }: Cipher, log: Logger): Promise<void> {
  const { rows } = await boss.getDb().executeSql(COUNT_UNREADABLE_JOBS, [keyIds]);
  const [{ count } = { count: 0 }] = rows as { count: number }[];
  if (count > 0) log.error("jobs wait that were encrypted with another JOBS_ENCRYPTION_KEY", { count });
}
