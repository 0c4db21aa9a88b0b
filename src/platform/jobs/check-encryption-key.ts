import type { PgBoss } from "pg-boss";
import type { Cipher } from "../crypto.ts";
import type { Logger } from "../log.ts";

export const COUNT = `SELECT count(*)::int AS count FROM pgboss.job
  WHERE state IN ('created', 'retry', 'active') AND NOT EXISTS (
    SELECT FROM unnest($1::text[]) key_id WHERE starts_with(data->>'sealed', key_id))`;

/**
 * Says at the start that jobs wait which this key does not open, while the old one can still be put back. They are
 * tried like any others, because an instance that has their key may still be running, and kept when they have failed.
 */
export async function checkEncryptionKeyOfJobs(boss: PgBoss, { keyIds }: Cipher, log: Logger): Promise<void> {
  const { rows } = await boss.getDb().executeSql(COUNT, [keyIds]);
  const [{ count } = { count: 0 }] = rows as { count: number }[];
  if (count > 0) log.error("jobs wait that were encrypted with another JOBS_ENCRYPTION_KEY", { count });
}
