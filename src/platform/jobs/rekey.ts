import { type Cipher, WrongEncryptionKeyError } from "../crypto.ts";
import type { Queryable } from "../db/prepared-query.ts";

/** The number of re-encrypted values, and of values that no configured key can decrypt. */
export type Rekeyed = { encrypted: number; unreadable: number };

const JOBS_AT_ONCE = 100;
const NO_JOB = "00000000-0000-0000-0000-000000000000";
/** Completed jobs are never read again, so they are not re-encrypted. */
const FIND = `SELECT id, data->>'sealed' AS sealed FROM pgboss.job_common
  WHERE (state < 'completed' OR state = 'failed') AND NOT starts_with(data->>'sealed', $1) AND id > $2::uuid
  ORDER BY id LIMIT $3`;
/** Skips jobs that have changed since they were read. */
const REPLACE = `UPDATE pgboss.job_common j SET data = jsonb_set(j.data, '{sealed}', to_jsonb(given.sealed))
  FROM unnest($1::uuid[], $2::text[], $3::text[]) given (id, before, sealed)
  WHERE j.id = given.id AND j.data->>'sealed' = given.before RETURNING j.id`;

/** Re-encrypts the payloads of jobs that may still run with the current key. Can be interrupted and repeated. */
export async function rekeyJobs(db: Queryable & { writes: Queryable }, cipher: Cipher): Promise<Rekeyed> {
  const total: Rekeyed = { encrypted: 0, unreadable: 0 };
  for (let after = NO_JOB; ; ) {
    const found = (await db.query(FIND, [cipher.keyId, after, JOBS_AT_ONCE])) as {
      id: string;
      sealed: string;
    }[];
    const anew = found.flatMap(({ id, sealed }) => {
      try {
        return [{ id, before: sealed, sealed: cipher.encrypt(cipher.decrypt(sealed)) }];
      } catch (error) {
        if (!(error instanceof WrongEncryptionKeyError)) throw error;
        total.unreadable += 1;
        return [];
      }
    });
    const columns = [anew.map(({ id }) => id), anew.map((one) => one.before), anew.map((one) => one.sealed)];
    total.encrypted += (await db.writes.query(REPLACE, columns)).length;
    const last = found.at(-1);
    if (last === undefined || found.length < JOBS_AT_ONCE) return total;
    after = last.id;
  }
}
