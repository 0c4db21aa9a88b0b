import { type Cipher, WrongEncryptionKeyError } from "../crypto.ts";
import type { Queryable } from "../db/prepared-query.ts";
import { FIND_JOBS_OF_OTHER_KEYS, REPLACE_CIPHERTEXTS } from "./pgboss-tables.ts";

/**
 * The result of re-encryption: the number of re-encrypted values, and of values that no configured key can decrypt.
 */
export type Rekeyed = { encrypted: number; unreadable: number };

const JOBS_AT_ONCE = 100;
const NO_JOB = "00000000-0000-0000-0000-000000000000";

/** Re-encrypts the payloads of jobs that may still run with the current key. Can be interrupted and repeated. */
export async function rekeyJobs(db: Queryable & { writes: Queryable }, cipher: Cipher): Promise<Rekeyed> {
  const total: Rekeyed = { encrypted: 0, unreadable: 0 };
  for (let after = NO_JOB; ; ) {
    const found = (await db.query(FIND_JOBS_OF_OTHER_KEYS, [cipher.keyId, after, JOBS_AT_ONCE])) as {
      id: string;
      ciphertext: string;
    }[];
    const anew = found.flatMap(({ id, ciphertext }) => {
      try {
        return [{ id, before: ciphertext, ciphertext: cipher.encrypt(cipher.decrypt(ciphertext)) }];
      } catch (error) {
        if (!(error instanceof WrongEncryptionKeyError)) throw error;
        total.unreadable += 1;
        return [];
      }
    });
    const columns = [
      anew.map(({ id }) => id),
      anew.map((one) => one.before),
      anew.map((one) => one.ciphertext),
    ];
    total.encrypted += (await db.writes.query(REPLACE_CIPHERTEXTS, columns)).length;
    const last = found.at(-1);
    if (last === undefined || found.length < JOBS_AT_ONCE) return total;
    after = last.id;
  }
}
