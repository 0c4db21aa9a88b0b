/**
 * Many deadlines on one timer. Nearly every wait ends long before its deadline, so one timer each would be created and
 * discarded for every statement; here a wait costs an entry in a set. Precise to a quarter of a second.
 */
type Entry = { untilMs: number; expire: () => void };

const STEP_MS = 250;
const entries = new Set<Entry>();
let timer: Timer | null = null;

export const deadlines = {
  /** Calls `expire` once `performance.now()` has passed `untilMs`, unless removed before. */
  add(untilMs: number, expire: () => void): Entry {
    const entry = { untilMs, expire };
    entries.add(entry);
    timer ??= setInterval(expireDue, STEP_MS);
    return entry;
  },
  remove(entry: Entry): void {
    entries.delete(entry);
  },
};

function expireDue() {
  const now = performance.now();
  for (const entry of entries) {
    if (entry.untilMs > now) continue;
    entries.delete(entry);
    entry.expire();
  }
  if (entries.size === 0 && timer !== null) {
    clearInterval(timer);
    timer = null;
  }
}
