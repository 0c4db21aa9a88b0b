import { expect, test } from "bun:test";
import { type Instance, until } from "../../support/cluster.ts";
import { createOrganization } from "../../support/organizations.ts";
import { eventsAfter } from "../../support/outgoing-events.ts";
import { race } from "../../support/race.ts";
import { startService } from "../../support/service.ts";
import { createEndpoint, deliveriesOf, LOCAL, startReceiver } from "../../support/webhooks.ts";

const t = await startService(LOCAL);
const INSTANCES = 2;
const KILLS = 4;
const WRITERS = 6;
const CHANGES = 10;

test("if instances are killed while they work, each committed change has one event, and each event arrives, repeated only with its id", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver();
  const endpoint = await createEndpoint(org.admin, receiver.url);
  const instances: Instance[] = await t.cluster(INSTANCES);
  const confirmed: string[] = [];
  /** Changes records at the instances that run, by turns; those of a killed one fail. */
  const change = () =>
    race(WRITERS, async (writer) => {
      for (let at = 0; at < CHANGES; at += 1) {
        const url = instances[(writer + at) % instances.length]?.url ?? "";
        const response = await org.admin
          .at(url)
          .post("/api/todos", { title: `${writer} ${at}` })
          .catch(() => null);
        if (response?.status === 201) confirmed.push(response.body.id);
      }
    });
  for (let kill = 0; kill < KILLS; kill += 1) {
    const changes = change();
    await Bun.sleep(Math.random() * 400);
    const [killed] = instances.splice(kill % instances.length, 1);
    await killed?.kill();
    await changes;
    instances.push(...(await t.cluster(1)));
  }

  // What killed instances had leased is free after the lease; here at once.
  await t.sql("UPDATE webhook_deliveries SET leased_until = NULL WHERE endpoint_id = $1", [endpoint.id]);
  await t.sql("UPDATE webhook_endpoints SET leased_until = NULL WHERE id = $1", [endpoint.id]);
  const isDone = async () => {
    const rows = await t.sql(
      `SELECT FROM event_outbox UNION ALL SELECT FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL LIMIT 1`,
    );
    return rows.length === 0 ? true : null;
  };
  await until(isDone, { seconds: 120 });

  const { events } = await eventsAfter(t, org.admin);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
  const todos = await t.sql<{ id: string }>("SELECT id FROM todos WHERE organization_id = $1", [org.id]);
  const created = events.filter(({ type }) => type === "todo.created");
  expect(created.map(({ data }) => String(data.object.id)).sort()).toEqual(todos.map(({ id }) => id).sort());
  const stored = new Set(todos.map(({ id }) => id));
  expect(confirmed.filter((id) => !stored.has(id))).toEqual([]);
  expect(confirmed.length).toBeGreaterThan(0);

  const arrived = new Map(receiver.received.map(({ headers, body }) => [headers.get("webhook-id"), body]));
  expect([...arrived.keys()].sort()).toEqual(created.map(({ id }) => id).sort());
  for (const { headers, body, event } of receiver.received) {
    expect(event.id).toBe(headers.get("webhook-id"));
    expect(body).toBe(arrived.get(headers.get("webhook-id")) ?? "");
  }
  expect(
    (await deliveriesOf(org.admin, endpoint, "state=PENDING&state=FAILED&state=DISCARDED")).data,
  ).toEqual([]);
  receiver.stop();
});
