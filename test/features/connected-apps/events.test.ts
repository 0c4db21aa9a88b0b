import { expect, test } from "bun:test";
import { connectApp, DOCUMENT_APP } from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { eventsAfter } from "../../support/outgoing-events.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { createEndpoint, deliver, LOCAL, startReceiver } from "../../support/webhooks.ts";

const t = await startService({ OAUTH: "on", OAUTH_APPS: "any", ...LOCAL });
const CLIENT = { id: DOCUMENT_APP, name: "Claude Code" };

async function connect(org: Organization, person: Caller, scopes?: string[]): Promise<Caller> {
  return (await connectApp(t, org, person, { clientName: CLIENT.name, ...(scopes && { scopes }) })).app;
}

test("an event that an app caused has its client, in the list, alone and in a webhook (rules 46.72)", async () => {
  const org = await createOrganization(t);
  const app = await connect(org, org.admin);
  const receiver = startReceiver();
  await createEndpoint(org.admin, receiver.url, ["todo.created", "unit.created"]);
  expectStatus(await app.post("/api/todos", { title: "By the app" }), 201);
  expectStatus(await app.post("/api/units", { name: "By the app", parentId: null }), 201);
  expectStatus(await org.admin.post("/api/todos", { title: "By the person" }), 201);
  await deliver(t);
  receiver.stop();
  const { events } = await eventsAfter(t, org.admin, null, "type=todo.created&type=unit.created");
  const actor = { type: "user", id: idOf(org.admin) };
  expect(events.map(({ actor, client }) => ({ actor, client }))).toEqual([
    { actor, client: CLIENT },
    { actor, client: CLIENT },
    { actor, client: null },
  ]);
  for (const event of events)
    expect(expectStatus(await org.admin.get(`/api/events/${event.id}`), 200).body).toEqual(event);
  const delivered = receiver.received.map(({ event }) => event as (typeof events)[number]);
  expect(delivered.sort((one, other) => one.sequence - other.sequence)).toEqual(events);
});

test("where the actor of an event is not shown, its client is not either", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Inside");
  const viewer = await org.member({ role: "ORG_ADMIN", unit }, { role: "UNIT_ADMIN", unit });
  const member = await org.member({ role: "UNIT_ADMIN", unit });
  for (const person of [org.admin, member]) {
    const app = await connect(org, person);
    expectStatus(await app.post("/api/units", { name: "Below", parentId: unit }), 201);
  }
  const { events } = await eventsAfter(t, viewer, null, "type=unit.created");
  expect(events.map(({ actor, client }) => [actor?.id ?? null, client])).toEqual([
    [null, null],
    [idOf(member), CLIENT],
  ]);
});

test("an app reads events of the types whose permission its grant has, too", async () => {
  const org = await createOrganization(t);
  await org.role("Clerk", "Todos.Read");
  expectStatus(await org.admin.post("/api/todos", { title: "One" }), 201);
  const typesFor = async (...scopes: string[]) => {
    const { events } = await eventsAfter(t, await connect(org, org.admin, scopes));
    return [...new Set(events.map(({ type }) => type))].sort();
  };
  expect(await typesFor("events:read", "todos:read")).toEqual(["todo.created"]);
  expect(await typesFor("events:read", "todos:read", "roles:read")).toEqual(["role.created", "todo.created"]);
  const all = await typesFor("events:read");
  expect(all).toEqual([]);
});
