import { type EventType, eventTypes } from "../../src/core/effects/event-types.ts";
import { relayAll } from "../../src/features/events/relay.ts";
import type { Caller } from "./caller.ts";
import { strict } from "./document.ts";
import { expectStatus, type Service } from "./service.ts";

export type OutgoingEvent = {
  id: string;
  sequence: number;
  type: string;
  timestamp: string;
  organizationId: string;
  actor: { type: string; id: string } | null;
  client: { id: string; name: string } | null;
  requestId: string | null;
  data: {
    object: Record<string, unknown>;
    previous?: Record<string, unknown>;
    reason?: string;
    truncated?: true;
  };
};

/** Numbers all committed events now, as the relay of a worker does. */
export const relay = (t: Service): Promise<void> => relayAll(t.running);

/** Checks that the object of an event has the published schema of its type, without unknown properties. */
function expectPublished({ type, data }: OutgoingEvent): void {
  if (data.truncated) return;
  const parsed = strict(eventTypes()[type as EventType].object).safeParse(data.object);
  if (!parsed.success) throw new Error(`${type} differs from its schema: ${parsed.error.message}`);
}

type Page = { data: OutgoingEvent[]; cursor: string; hasMore: boolean };

/** A page of the list of events. */
export const eventPage = async (caller: Caller, query = ""): Promise<Page> =>
  expectStatus(await caller.get(`/api/events?${query}`), 200).body;

/** All events after a cursor that the caller may read, after the relay has run; and where they end. */
export async function eventsAfter(t: Service, caller: Caller, cursor: string | null = null, query = "") {
  await relay(t);
  const events: OutgoingEvent[] = [];
  let after = cursor;
  for (;;) {
    const from = after === null ? "" : `after=${encodeURIComponent(after)}&`;
    const page = await eventPage(caller, `${from}pageSize=100&${query}`);
    events.push(...page.data);
    after = page.cursor;
    if (!page.hasMore) return { events, cursor: page.cursor };
  }
}

/** Returns the events that some work causes, as the caller reads them. */
export async function eventsOf(
  t: Service,
  caller: Caller,
  work: () => Promise<unknown>,
): Promise<OutgoingEvent[]> {
  await relay(t);
  const { cursor } = await eventPage(caller, "after=latest");
  await work();
  const { events } = await eventsAfter(t, caller, cursor);
  events.forEach(expectPublished);
  return events;
}

/** Fields that only callers who may remove the member see, so events do not contain them. */
export const NOT_IN_EVENTS = { twoFactorEnabled: null, lastActiveOn: null };
