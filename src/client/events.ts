import type { Client } from "./client.ts";
import { timers } from "./environment.ts";
import { createEvents, type EventsOptions, type PolledEvent } from "./event-polling.ts";
import type { MachineClient } from "./machine-client.ts";

/**
 * Polls the events of the organization, oldest first and without end: every second while there are events, up to
 * every 30 seconds while there are none. The machine client has this function as its method `events`.
 * @example for await (const { event, cursor } of events(client, { after: "latest" })) …
 * @throws ApiError, `CURSOR_EXPIRED` if events after the cursor were deleted; ConnectionError; from the iteration
 */
export const events = (
  client: Pick<Client, "request"> | Pick<MachineClient, "request">,
  options?: EventsOptions,
): AsyncGenerator<PolledEvent, void, undefined> =>
  createEvents(timers, client.request as Parameters<typeof createEvents>[1])(options);

export type { EventsOptions, PolledEvent } from "./event-polling.ts";
export type { EventOf, EventType } from "./types.ts";
