import { ApiError } from "../errors.ts";
import { type InTransaction, transaction, type WithDatabase } from "./transaction.ts";

/**
 * Runs a part of a transaction that may be refused: if `work` throws an `ApiError`, what it wrote is undone, and the
 * transaction can go on. Any other error fails the transaction. The locks that a refused part took are released, so take
 * them before. Parts cannot be nested.
 */
export async function savepoint<C extends WithDatabase, T>(
  tx: InTransaction<C>,
  work: () => Promise<T>,
): Promise<T> {
  await tx.effects.query("SAVEPOINT part", []);
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) {
      await effectsOf(tx);
      await tx.effects.query("ROLLBACK TO SAVEPOINT part", []);
    }
    throw error;
  } finally {
    await tx.effects.query("RELEASE SAVEPOINT part", []);
  }
}

/** Waits for the effects that were sent. A rollback would hide that one failed. @throws the failure */
const effectsOf = (tx: InTransaction<WithDatabase>) => tx.db.query("SELECT 1", []);

/** Carries the result of a dry run out of its transaction. */
class DryRun<T> {
  constructor(readonly result: T) {}
}

/** Runs `work` like `transaction`, and rolls back everything that it wrote. */
export async function dryRun<C extends WithDatabase, T>(
  call: C,
  work: (tx: InTransaction<C>) => Promise<T>,
): Promise<T> {
  try {
    return await transaction(call, async (tx) => {
      const result = await work(tx);
      await effectsOf(tx);
      throw new DryRun(result);
    });
  } catch (error) {
    if (error instanceof DryRun) return error.result;
    throw error;
  }
}
