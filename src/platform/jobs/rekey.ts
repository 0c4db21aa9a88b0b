import { type Cipher, WrongEncryptionKeyError } from "../crypto.ts";
import type { Queryable } from "../db/prepared-query.ts";
import { FIND_JOBS_OF_OTHER_KEYS, REPLACE_CIPHERTEXT } from "./pgboss-tables.ts";

/**
 * The result of re-encryption: the number of re-encrypted values, and of values that no configured key can decrypt.
 */
export type Rekeyed = { encrypted: number; unreadable: number };

const ROWS_AT_ONCE = 100;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/**
 * Re-encrypts the values of rows with the current key. Can be interrupted and repeated.
 * @param list returns the next rows with values of other keys, sorted by id
 * @param replace encrypts the values of a row anew; returns a row unless it has changed since it was read
 */
export async function rekeyRows<Row extends { id: string }>(
  list: (page: { after: string; max: number }) => Promise<Row[]>,
  replace: (row: Row) => Promise<unknown[]>,
): Promise<Rekeyed> {
  const total: Rekeyed = { encrypted: 0, unreadable: 0 };
  for (let after = BEFORE_ALL; ; ) {
    const rows = await list({ after, max: ROWS_AT_ONCE });
    for (const row of rows) {
      try {
        total.encrypted += (await replace(row)).length;
      } catch (error) {
        if (!(error instanceof WrongEncryptionKeyError)) throw error;
        total.unreadable += 1;
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return total;
    after = last.id;
  }
}

/** Re-encrypts the payloads of jobs that may still run. */
export const rekeyJobs = (db: Queryable & { writes: Queryable }, cipher: Cipher): Promise<Rekeyed> =>
  rekeyRows(
    async ({ after, max }) =>
      (await db.query(FIND_JOBS_OF_OTHER_KEYS, [cipher.keyId, after, max])) as {
        id: string;
        name: string;
        ciphertext: string;
      }[],
    ({ id, name, ciphertext }) => {
      const values = [name, id, ciphertext, cipher.encrypt(cipher.decrypt(ciphertext))];
      return db.writes.query(REPLACE_CIPHERTEXT, values);
    },
  );
