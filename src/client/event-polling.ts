import { type Environment, pause } from "./environment.ts";
import type { Parts } from "./http.ts";
import type { EventOf, EventType, Result } from "./types.ts";

/** The options for polling events. */
export type EventsOptions = {
  /**
   * The stored cursor to continue from, or `latest` for events from now on. Omitted or null: begins at the oldest
   * stored event.
   */
  readonly after?: string | null;
  /** Only events of these types, at most 50. */
  readonly types?: readonly EventType[];
  /** Aborting this signal ends the iteration, without an error. */
  readonly signal?: AbortSignal;
};

/** An event, and the cursor to continue after it. */
export type PolledEvent = {
  readonly event: EventOf<EventType>;
  /**
   * The cursor to store after the event was processed. It never skips an event. It advances with the last event of
   * each page, so after a restart, events of one page may be returned again. Null on the first page if `after` was
   * omitted.
   */
  readonly cursor: string | null;
};

const PAGE_SIZE = 100;
const MIN_WAIT_SECONDS = 1;
const MAX_WAIT_SECONDS = 30;

/** Creates the function that polls the list of events. Tests pass their own timers. */
export function createEvents(
  timers: Pick<Environment, "after">,
  request: (endpoint: "GET /api/events", parts: Parts) => Promise<unknown>,
) {
  return async function* events(options: EventsOptions = {}): AsyncGenerator<PolledEvent, void, undefined> {
    const { types, signal } = options;
    let cursor = options.after ?? null;
    let seconds = MIN_WAIT_SECONDS;
    while (!signal?.aborted) {
      const query = { after: cursor ?? undefined, type: types, pageSize: PAGE_SIZE };
      const page = await request("GET /api/events", { query, ...(signal && { signal }) }).catch((error) => {
        if (!signal?.aborted) throw error;
      });
      if (!page) return;
      const { data, ...next } = page as Result<"GET /api/events">;
      for (const [index, event] of data.entries()) {
        if (signal?.aborted) return;
        const isLast = index === data.length - 1;
        yield { event: event as EventOf<EventType>, cursor: isLast ? next.cursor : cursor };
      }
      cursor = next.cursor;
      // A page may have no rows although more follow.
      if (data.length > 0 || next.hasMore) seconds = MIN_WAIT_SECONDS;
      await pause(timers, seconds * 1000, signal);
      seconds = Math.min(MAX_WAIT_SECONDS, seconds * 2);
    }
  };
}
