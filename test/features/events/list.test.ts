import { expect, test } from "bun:test";
import { SQL } from "bun";
import { encodeCursor } from "../../../src/features/events/cursor.ts";
import { relayOnce } from "../../../src/features/events/relay.ts";
import { until } from "../../support/cluster.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization, type Organization, userIdOf } from "../../support/organizations.ts";
import { eventPage, eventsAfter, eventsOf, relay } from "../../support/outgoing-events.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService();

const todo = async (org: Organization, title: string, caller = org.admin) =>
  expectStatus(await caller.post("/api/todos", { title }), 201).body;
const titles = (events: { data: { object: Record<string, unknown> } }[]) =>
  events.map(({ data }) => data.object.title);

test("pages of events continue by cursor, oldest first, and a page without rows has a cursor too", async () => {
  const org = await createOrganization(t);
  for (const title of ["a", "b", "c"]) await todo(org, title);
  await relay(t);
  const first = await eventPage(org.admin, "type=todo.created&pageSize=2");
  expect([titles(first.data), first.hasMore]).toEqual([["a", "b"], true]);
  const second = await eventPage(org.admin, `type=todo.created&pageSize=2&after=${first.cursor}`);
  expect([titles(second.data), second.hasMore]).toEqual([["c"], false]);
  const end = await eventPage(org.admin, `after=${second.cursor}`);
  expect(end).toEqual({ data: [], cursor: second.cursor, hasMore: false });
  expect((await eventPage(org.admin, "after=latest")).cursor).toBe(second.cursor);
  await todo(org, "d");
  expect(titles((await eventsAfter(t, org.admin, end.cursor)).events)).toEqual(["d"]);
});

test("events can be filtered by `type` and `objectId`, a cursor works with other filters, and an unknown type is 400", async () => {
  const org = await createOrganization(t);
  const { id } = await todo(org, "a");
  await todo(org, "b");
  await org.admin.patch(`/api/todos/${id}`, { completed: true });
  await relay(t);
  const one = await eventPage(org.admin, `objectId=${id}`);
  expect(one.data.map(({ type }) => type)).toEqual(["todo.created", "todo.updated"]);
  expect((await eventPage(org.admin, `type=todo.created&type=todo.updated`)).data).toHaveLength(3);
  const { body } = expectStatus(await org.admin.get("/api/events?type=todo.sold"), 400);
  expect(body.code).toBe("VALIDATION_FAILED");
  expectStatus(await org.admin.get("/api/events?type=webhook.test"), 400);
});

test("a cursor of events that is truncated, forged or of another organization is 400 at `after`", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const { cursor } = await eventPage(other.admin);
  const forged = Buffer.from(`events:${org.id} 1 999 0`).toString("base64url");
  const noNumber = encodeCursor({ list: `events:${org.id}`, epoch: "0", position: "x" });
  for (const bad of [cursor, cursor.slice(0, -1), `${cursor}x`, "x", forged, noNumber]) {
    const { body } = expectStatus(await org.admin.get(`/api/events?after=${bad}`), 400);
    expect(body.errors).toEqual([{ path: "after", message: "after must be a cursor of this list" }]);
  }
});

test("an organization's events are numbered from 1 without a gap; a rolled-back change has no event and no number", async () => {
  const org = await createOrganization(t);
  await todo(org, "a");
  expectStatus(await org.admin.post("/api/units", { name: "", parentId: null }), 400);
  await todo(org, "b");
  const { events } = await eventsAfter(t, org.admin);
  expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
});

test("events of a transaction that commits late are numbered after earlier commits, consecutively, and no cursor skips them", async () => {
  const org = await createOrganization(t);
  await relay(t);
  const { cursor } = await eventPage(org.admin, "after=latest");
  const { SQL } = await import("bun");
  const late = new SQL({ url: t.databaseUrl, max: 1 });
  const write = `INSERT INTO event_outbox (organization_id, type, object_id, data, reach_match, reach_paths)
    SELECT '${org.id}', 'todo.created', uuidv7(), jsonb_build_object('object', jsonb_build_object('title', 'late')), 'none', '{}'`;
  await late.unsafe("BEGIN");
  await late.unsafe(write);
  await todo(org, "young");
  const young = await eventsAfter(t, org.admin, cursor);
  expect(titles(young.events)).toEqual(["young"]);
  await todo(org, "between");
  await late.unsafe(write);
  await late.unsafe("COMMIT");
  await late.close();
  await todo(org, "last");
  const rest = await eventsAfter(t, org.admin, young.cursor);
  expect(titles(rest.events)).toEqual(["between", "late", "late", "last"]);
});

test("concurrent relays move each event from the outbox exactly once", async () => {
  const org = await createOrganization(t);
  await Promise.all(Array.from({ length: 20 }, (_, at) => todo(org, String(at))));
  await Promise.all(Array.from({ length: 8 }, () => relayOnce(t.running)));
  const { events } = await eventsAfter(t, org.admin);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
  expect(new Set(events.map(({ id }) => id)).size).toBe(21);
});

test("a client that polls while others commit receives each event once, in order, without a gap", async () => {
  const org = await createOrganization(t);
  const writers = 8;
  const each = 40;
  let isWriting = true;
  const relays = [0, 1].map(async () => {
    while (isWriting) await relayOnce(t.running);
  });
  const polled: number[] = [];
  const polling = (async () => {
    let cursor: string | null = null;
    while (isWriting) {
      const page = await eventPage(org.admin, cursor === null ? "pageSize=3" : `pageSize=3&after=${cursor}`);
      polled.push(...page.data.map(({ sequence }) => sequence));
      cursor = page.cursor;
    }
    return cursor;
  })();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let at = 0; at < each; at += 1) await todo(org, String(at));
    }),
  );
  isWriting = false;
  await Promise.all(relays);
  const rest = await eventsAfter(t, org.admin, await polling);
  polled.push(...rest.events.map(({ sequence }) => sequence));
  expect(polled).toEqual(Array.from({ length: writers * each + 1 }, (_, at) => at + 1));
});

test("the events of one record are in the order of its changes, also if several callers make them", async () => {
  const org = await createOrganization(t);
  const { id } = await todo(org, "0");
  const events = await eventsOf(t, org.admin, () =>
    Promise.all(
      Array.from({ length: 12 }, (_, at) => org.admin.patch(`/api/todos/${id}`, { title: String(at + 1) })),
    ),
  );
  const chain = events.map(({ data }) => [data.previous?.title, data.object.title]);
  expect(chain).toHaveLength(12);
  for (const [at, [before]] of chain.entries()) expect(before).toBe(at === 0 ? "0" : chain[at - 1]?.[1]);
  expect((await org.admin.get(`/api/todos/${id}`)).body.title).toBe(chain.at(-1)?.[1]);
});

test("an API key with `Events.Read` can poll events; without the permission it is 403", async () => {
  const org = await createOrganization(t);
  const role = await org.role("Poller", "Events.Read", "Todos.ReadAny");
  const { caller } = await createMachine(org, { role });
  await todo(org, "a");
  const types = (await eventsAfter(t, caller)).events.map(({ type }) => type);
  expect(types).toEqual(["todo.created"]);
  expectStatus(await (await org.member()).get("/api/events"), 403);
});

test("a cursor before the oldest stored event is 410, and the list begins with the oldest stored event", async () => {
  const org = await createOrganization(t);
  await todo(org, "old");
  const { cursor, events } = await eventsAfter(t, org.admin);
  const first = await eventPage(org.admin, "pageSize=1");
  await t.sql("UPDATE event_sequences SET oldest_kept = 3 WHERE organization_id = $1", [org.id]);
  await t.sql("DELETE FROM events WHERE organization_id = $1", [org.id]);
  await todo(org, "new");
  await relay(t);
  const { body } = expectStatus(await org.admin.get(`/api/events?after=${first.cursor}`), 410);
  expect(body.code).toBe("CURSOR_EXPIRED");
  expect(titles((await eventsAfter(t, org.admin, cursor)).events)).toEqual(["new"]);
  expect((await eventsAfter(t, org.admin)).events).toHaveLength(1);
  expectStatus(await org.admin.get(`/api/events/${events[0]?.id}`), 404);
});

test("partitions of days whose retention has ended are dropped, and those of the next days exist", async () => {
  const org = await createOrganization(t);
  await todo(org, "old");
  await relay(t);
  const { cursor } = await eventPage(org.admin, "pageSize=1");
  const old = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);
  const name = `events_${old.replaceAll("-", "_")}`;
  await t.sql(
    `CREATE TABLE ${name} PARTITION OF events FOR VALUES FROM ('${old} 00:00+00') TO ('${old} 23:59:59+00')`,
  );
  await t.sql(`UPDATE events SET recorded_at = '${old} 12:00+00' WHERE organization_id = $1`, [org.id]);
  const { jobKinds } = await import("../../../src/app/jobs.ts");
  await jobKinds.find(({ queue }) => queue === "events.days")?.run(t.running, {} as never);
  expect(await t.sql("SELECT to_regclass($1) AS found", [name])).toEqual([{ found: null }]);
  expectStatus(await org.admin.get(`/api/events?after=${cursor}`), 410);
  expect((await eventPage(org.admin)).data).toEqual([]);
  const [{ days }] = (await t.sql(
    "SELECT count(*)::int AS days FROM event_days WHERE day >= now()::date",
  )) as [{ days: number }];
  expect(days).toBeGreaterThanOrEqual(8);
});

test("with EVENTS=off no events are recorded, and their routes are 404", async () => {
  const off = await startService({ EVENTS: "off" });
  const org = await createOrganization(off);
  await todo(org, "a");
  expect(await off.sql("SELECT FROM event_outbox")).toEqual([]);
  expectStatus(await org.admin.get("/api/events"), 404);
  expectStatus(await org.admin.get(`/api/events/${org.id}`), 404);
});

/** Deletes an account as of three days ago. */
const deleteLongAgo = (id: string) =>
  t.sql("UPDATE users SET is_deleted = true, deleted_at = now() - interval '3 days' WHERE id = $1", [id]);

test("when a deleted account gets its pseudonym, events and the outbox get it for all emails that it had", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const id = await userIdOf(t, person);
  const former = person.email;
  await todo(org, "a", person);
  await relay(t);
  const email = `later-${crypto.randomUUID()}@example.com`;
  expectStatus(await person.post("/api/profile/email", { email }), 202);
  for (const address of [former, email]) {
    const { token } = await t.linkTo(address, "/confirm-email-change");
    expectStatus(await person.post("/api/auth/confirm-email-change", { token }), 200);
  }
  await todo(org, "b", person);
  await deleteLongAgo(id);
  await t.sql("SELECT pseudonymise_deleted_account($1, 2)", [id]);
  const { events } = await eventsAfter(t, org.admin, null, "type=todo.created");
  const pseudonym = `deleted-${id}@deleted.invalid`;
  expect(events.map(({ data }) => data.object.ownerEmail)).toEqual([pseudonym, pseudonym]);
  const all = JSON.stringify((await eventsAfter(t, org.admin)).events);
  for (const one of [former, email]) expect(all).not.toContain(one);
});

test("an event that the relay moves while an account gets its pseudonym gets it, too", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const id = await userIdOf(t, person);
  await relay(t);
  await todo(org, "a", person);
  await deleteLongAgo(id);
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  const waiting = (count: number) =>
    until(async () => {
      const rows = await t.sql(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      return rows.length === count ? true : null;
    });
  // The relay has taken the event out of the outbox, and waits for its number.
  const both = await holder.begin(async (tx) => {
    await tx`SELECT FROM event_sequences WHERE organization_id = ${org.id} FOR UPDATE`;
    const relayed = relay(t);
    await waiting(1);
    const replaced = t.sql("SELECT pseudonymise_deleted_account($1, 2)", [id]);
    await waiting(2);
    return { relayed, replaced };
  });
  await both.relayed;
  await both.replaced;
  await holder.close();
  const { events } = await eventsAfter(t, org.admin, null, "type=todo.created");
  expect(events.map(({ data }) => data.object.ownerEmail)).toEqual([`deleted-${id}@deleted.invalid`]);
});
