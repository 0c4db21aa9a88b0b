import { expect, test } from "bun:test";
import { createEvents, type EventsOptions } from "../../src/client/event-polling.ts";
import { events } from "../../src/client/events.ts";
import { createClient } from "../../src/client/index.ts";
import { createMachineClient } from "../../src/client/machine.ts";
import { until } from "../support/cluster.ts";
import { createMachine } from "../support/machines.ts";
import { createOrganization, type Organization } from "../support/organizations.ts";
import { eventPage, relay } from "../support/outgoing-events.ts";
import { expectStatus, startService } from "../support/service.ts";

const t = await startService();

async function createTodos({ admin }: Organization, ...titles: string[]): Promise<void> {
  for (const title of titles) expectStatus(await admin.post("/api/todos", { title }), 201);
  await relay(t);
}

let responses = 0;
/** Counts the responses that a client has received. */
const countingFetch = (async (...request: Parameters<typeof fetch>) => {
  const response = await fetch(...request);
  responses += 1;
  return response;
}) as typeof fetch;

/** Creates an organization, the client of a machine in it, and polling whose pauses are recorded and skipped. */
async function polling(onPause: (pauses: number, organization: Organization) => unknown = () => {}) {
  const organization = await createOrganization(t);
  const { key } = await createMachine(organization, { role: "ORG_ADMIN" });
  const machine = createMachineClient({ baseUrl: t.url, apiKey: key, fetch: countingFetch });
  const seconds: number[] = [];
  const timers = {
    after(milliseconds: number, run: () => void) {
      seconds.push(milliseconds / 1000);
      Promise.resolve(onPause(seconds.length, organization)).then(run);
      return () => {};
    },
  };
  const poll = createEvents(timers, machine.request as Parameters<typeof createEvents>[1]);
  return { organization, machine, seconds, poll: (options?: EventsOptions) => poll(options) };
}

const types = ["todo.created"] as const;

test("`events` of the machine client, and of the browser's by its subpath, return all events from the oldest or from `latest`", async () => {
  const { organization, machine } = await polling();
  const { admin } = organization;
  await createTodos(organization, "a", "b");
  const client = createClient({ baseUrl: t.url, fetch: countingFetch });
  await client.signIn(admin.account);
  for (const poll of [machine.events, (options: EventsOptions) => events(client, options)]) {
    const titles: unknown[] = [];
    for await (const { event } of poll({ types })) {
      if (event.type === "todo.created") titles.push(event.data.object.title);
      if (titles.length === 2) break;
    }
    expect(titles).toEqual(["a", "b"]);
    const waiting = poll({ after: "latest", types })[Symbol.asyncIterator]();
    const before = responses;
    const next = waiting.next();
    // The response to the first request decides which event is the latest.
    await until(() => (responses > before ? true : null));
    await createTodos(organization, "new");
    const { value } = await next;
    expect(value?.event.data.object).toMatchObject({ title: "new" });
    await waiting.return();
  }
  client.close();
});

test("a stored cursor skips no event: it advances after the last event of a page", async () => {
  const { organization, poll } = await polling();
  const all = Array.from({ length: 103 }, (_, index) => String(index));
  await createTodos(organization, ...all);
  const read = async (after: string | null, stopAt: number) => {
    const titles: unknown[] = [];
    let stored: string | null = after;
    for await (const { event, cursor } of poll({ after, types })) {
      titles.push(event.data.object.title);
      stored = cursor;
      if (titles.length === stopAt) break;
    }
    return { titles, stored };
  };
  const early = await read(null, 99);
  expect([early.titles, early.stored]).toEqual([all.slice(0, 99), null]);
  const page = await read(null, 100);
  const rest = await read(page.stored, 2);
  expect(rest).toEqual({ titles: all.slice(100, 102), stored: page.stored });
  expect(await read(rest.stored, 3)).toMatchObject({ titles: all.slice(100) });
  expect((await read(null, 103)).titles).toEqual(all);
});

test("the pause between two requests is 1 second after events, and doubles to 30 seconds without any", async () => {
  const ending = new AbortController();
  const { seconds, poll } = await polling((pauses, organization) => {
    if (pauses === 7) return createTodos(organization, "late");
    if (pauses === 10) ending.abort();
    return null;
  });
  for await (const { event } of poll({ after: "latest", types, signal: ending.signal })) {
    expect(event.data.object).toMatchObject({ title: "late" });
  }
  expect(seconds).toEqual([1, 2, 4, 8, 16, 30, 30, 1, 2, 4]);
});

test("an abort signal ends the iteration without an error: before a request, during one, in a page and in a pause", async () => {
  const { organization, poll } = await polling();
  await createTodos(organization, "a", "b");
  const count = async (iteration: AsyncIterable<unknown>, onEvent = () => {}) => {
    let found = 0;
    for await (const _ of iteration) {
      found += 1;
      onEvent();
    }
    return found;
  };
  expect(await count(poll({ signal: AbortSignal.abort() }))).toBe(0);
  const during = new AbortController();
  const requested = count(poll({ types, signal: during.signal }));
  during.abort();
  expect(await requested).toBe(0);
  const inPage = new AbortController();
  expect(await count(poll({ types, signal: inPage.signal }), () => inPage.abort())).toBe(1);
  const inPause = new AbortController();
  const endless = await polling(() => {
    queueMicrotask(() => inPause.abort());
    return new Promise(() => {});
  });
  expect(await count(endless.poll({ after: "latest", signal: inPause.signal }))).toBe(0);
  expect(endless.seconds).toEqual([1]);
});

test("`events` throws CURSOR_EXPIRED if events after the cursor were deleted, and the errors of the API", async () => {
  const { organization, machine } = await polling();
  await createTodos(organization, "old", "older");
  const { cursor } = await eventPage(organization.admin, "pageSize=1");
  await t.sql("UPDATE event_sequences SET oldest_kept = 3 WHERE organization_id = $1", [organization.id]);
  await t.sql("DELETE FROM events WHERE organization_id = $1", [organization.id]);
  await createTodos(organization, "new");
  await expect(machine.events({ after: cursor }).next()).rejects.toMatchObject({
    name: "ApiError",
    status: 410,
    code: "CURSOR_EXPIRED",
  });
  await expect(machine.events({ after: "x" }).next()).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
});
