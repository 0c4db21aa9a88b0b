import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import * as events from "#sql/events";
import * as webhooks from "#sql/webhooks";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { relay } from "../../support/outgoing-events.ts";
import { scansOf } from "../../support/query-plans.ts";
import { WRONG_COUNTS } from "../../support/row-counts.ts";
import { expectStatus, startService } from "../../support/service.ts";
import {
  createEndpoint,
  deliver,
  deliveriesOf,
  type Endpoint,
  LOCAL,
  makeDue,
  startReceiver,
} from "../../support/webhooks.ts";

const t = await startService(LOCAL);
const connection = new SQL({ url: t.databaseUrl, max: 1 });
afterAll(() => connection.close());

const LIMIT = 100_000;

const todo = async (org: Organization) =>
  expectStatus(await org.admin.post("/api/todos", { title: "a" }), 201);

const pendingCount = async (org: Organization, { path }: Endpoint): Promise<number> =>
  expectStatus(await org.admin.get(path), 200).body.pendingCount;

test("beyond 100,000 pending deliveries of an endpoint events are discarded, until a delivery ends", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver();
  const endpoint = await createEndpoint(org.admin, receiver.url);
  const states = async () =>
    (
      await t.sql<{ state: string }>(
        "SELECT state FROM webhook_deliveries d JOIN events e ON e.id = d.event_id WHERE endpoint_id = $1 ORDER BY e.sequence",
        [endpoint.id],
      )
    ).map(({ state }) => state);
  // Stands for 99,999 rows, which take long to insert. That the total follows the rows is tested below.
  await t.sql("INSERT INTO row_counts (list, owner, rows) VALUES ('pending_deliveries', $1, $2)", [
    endpoint.id,
    LIMIT - 1,
  ]);
  await todo(org);
  await todo(org);
  await relay(t);
  expect(await states()).toEqual(["PENDING", "DISCARDED"]);
  await todo(org);
  await relay(t);
  expect(await states()).toEqual(["PENDING", "DISCARDED", "DISCARDED"]);
  expect(await pendingCount(org, endpoint)).toBe(LIMIT);
  await deliver(t);
  expect(await pendingCount(org, endpoint)).toBe(LIMIT - 1);
  await todo(org);
  await relay(t);
  expect(await states()).toEqual(["SUCCEEDED", "DISCARDED", "DISCARDED", "PENDING"]);
  await t.sql("DELETE FROM row_counts WHERE owner = $1", [endpoint.id]);
  receiver.stop();
});

test("numbering events and listing endpoints read no deliveries, however many are pending", async () => {
  const values = events.relayEvents.parameters.map((name) => ({ max: "500" })[name] ?? "{}");
  const relayed = { text: events.relayEvents.text, values };
  const listed = {
    text: webhooks.listWebhookEndpoints.text,
    values: webhooks.listWebhookEndpoints.parameters.map(
      (name) =>
        ({ organizationId: crypto.randomUUID(), descending: "true", limit: "20", offset: "0" })[name] ?? null,
    ),
  };
  for (const statement of [relayed, listed]) {
    const scans = await scansOf(connection, statement);
    expect(scans.map(({ table }) => table)).toContain("webhook_endpoints");
    expect(scans.filter(({ table }) => table.startsWith("webhook_deliveries"))).toEqual([]);
  }
});

test("the number of pending deliveries follows attempts, resends, tests, recoveries and dropped days", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver((_, count) => new Response("x", { status: count % 2 === 1 ? 500 : 200 }));
  const endpoint = await createEndpoint(org.admin, receiver.url);
  const check = async (expected: number) => {
    expect(await pendingCount(org, endpoint)).toBe(expected);
    expect(await t.sql(WRONG_COUNTS)).toEqual([]);
  };
  await todo(org);
  await relay(t);
  await check(1);
  await deliver(t);
  await check(1);
  await makeDue(t, endpoint);
  await deliver(t);
  await check(0);
  const [{ id }] = (await deliveriesOf(org.admin, endpoint)).data;
  expectStatus(await org.admin.post(`${endpoint.path}/deliveries/${id}/resend`), 202);
  await check(0);
  expectStatus(await org.admin.post(`${endpoint.path}/test`), 202);
  await check(1);
  await deliver(t);
  expectStatus(await org.admin.patch(endpoint.path, { enabled: false }), 200);
  await todo(org);
  await relay(t);
  await check(0);
  expectStatus(await org.admin.patch(endpoint.path, { enabled: true }), 200);
  expectStatus(await org.admin.post(`${endpoint.path}/recover`, { from: new Date(0).toISOString() }), 202);
  await check(1);

  await t.sql(
    `CREATE TABLE webhook_deliveries_2020_02_03 PARTITION OF webhook_deliveries
     FOR VALUES FROM ('2020-02-03 00:00:00+00') TO ('2020-02-04 00:00:00+00')`,
  );
  await t.sql(
    `INSERT INTO webhook_deliveries (endpoint_id, organization_id, event_id, event_recorded_at, event_type, sequence, state,
       next_attempt_at, created_at)
     SELECT $1, $2, gen_random_uuid(), now(), 'todo.created', n, 'PENDING', now() + interval '1 hour', '2020-02-03 12:00:00+00'
     FROM generate_series(1, 5) n`,
    [endpoint.id, org.id],
  );
  await check(6);
  await t.sql("SELECT drop_event_days(30)");
  await check(1);
  receiver.stop();
});
