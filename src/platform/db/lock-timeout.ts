import { setTimeout } from "node:timers/promises";

/**
 * How long a change of the schema waits for a lock: while it does, whatever comes after it for the same table waits as
 * well, and requests give up after 8 seconds.
 */
export const LOCK_TIMEOUT = "2s";
const ATTEMPTS = 60;
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;
const LOCK_NOT_AVAILABLE = "55P03";

/** Does work that may give up waiting for a lock, again and again for some ten minutes. @throws what the last attempt did */
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
