import { setTimeout } from "node:timers/promises";

/**
 * How long a migration waits for a lock. While it waits, it blocks later queries on the table, and requests time
 * out after 8 seconds.
 */
export const LOCK_TIMEOUT = "2s";
const ATTEMPTS = 60;
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Retries work that fails with a lock timeout, for about ten minutes.
 * @throws the lock timeout of the last attempt; every other error at once
 */
export async function retryOnLockTimeout<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE || attempt === ATTEMPTS) throw error;
      await setTimeout(Math.min(PAUSE_MS * attempt, MAX_PAUSE_MS));
    }
  }
}
