/**
 * Many deadlines that share one timer. Nearly every wait ends long before its deadline, so a timer per wait would
 * be created and discarded for every statement. A shared timer costs only an entry in a set. Its precision is a
 * quarter of a second.
 */
type Entry = { deadlineAt: number; expire: () => void; ownTimer: Timer | null };

const STEP_MS = 250;
const entries = new Set<Entry>();
let timer: Timer | null = null;
let isShared = true;

/** Creates one timer per deadline, for runtimes where a timer ends with the request that started it. */
export const useOwnTimers = (): void => {
  isShared = false;
};

/** Whether a timer that a request started continues after the response. */
export const timersOutliveRequests = (): boolean => isShared;

export const deadlines = {
  /** Calls `expire` once `performance.now()` has passed `deadlineAt`, unless the deadline was removed before. */
  add(deadlineAt: number, expire: () => void): Entry {
    if (!isShared) {
      const left = Math.max(0, deadlineAt - performance.now());
      return { deadlineAt, expire, ownTimer: setTimeout(expire, left) };
    }
    const entry = { deadlineAt, expire, ownTimer: null };
    entries.add(entry);
    timer ??= setInterval(expireDue, STEP_MS);
    return entry;
  },
  remove(entry: Entry): void {
    if (entry.ownTimer !== null) clearTimeout(entry.ownTimer);
    entries.delete(entry);
  },
};

function expireDue() {
  const now = performance.now();
  for (const entry of entries) {
    if (entry.deadlineAt > now) continue;
    entries.delete(entry);
    entry.expire();
  }
  if (entries.size === 0 && timer !== null) {
    clearInterval(timer);
    timer = null;
  }
}
