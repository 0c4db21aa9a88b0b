import { expect, test } from "bun:test";
import { startDeliveries } from "../../../src/features/webhooks/worker.ts";
import { until } from "../../support/cluster.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { relay } from "../../support/outgoing-events.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { createEndpoint, deliver, deliveriesOf, LOCAL, startReceiver } from "../../support/webhooks.ts";

const CONCURRENCY = 10;
const t = await startService({ ...LOCAL, WEBHOOK_CONCURRENCY: String(CONCURRENCY) });
const PENDING = 10_000;

const todo = async (org: Organization) =>
  expectStatus(await org.admin.post("/api/todos", { title: "a" }), 201);

test("an endpoint without a success gets ten attempts an hour; tests, resends and turns without an attempt do not count", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver(() => new Response(null, { status: 500 }));
  const endpoint = await createEndpoint(org.admin, receiver.url);
  const types = () => receiver.received.map(({ event }) => event.type);
  for (let at = 0; at < 5; at += 1) expectStatus(await org.admin.post(`${endpoint.path}/test`), 202);
  await deliver(t);
  for (let at = 0; at < 5; at += 1) {
    await t.sql("UPDATE webhook_endpoints SET next_due_at = now() WHERE id = $1", [endpoint.id]);
    await deliver(t);
  }
  expect(types()).toHaveLength(5);
  for (let at = 0; at < 13; at += 1) await todo(org);
  await deliver(t);
  expect(types().filter((type) => type === "todo.created")).toHaveLength(10);

  const { data } = await deliveriesOf(org.admin, endpoint, "state=PENDING&type=todo.created");
  const waiting = data.filter(({ attemptCount }: { attemptCount: number }) => attemptCount === 0);
  expect(waiting).toHaveLength(3);
  const [{ hourEnds }] = (await t.sql(
    "SELECT hour_began_at + interval '1 hour' AS \"hourEnds\" FROM webhook_endpoints WHERE id = $1",
    [endpoint.id],
  )) as [{ hourEnds: Date }];
  for (const { nextAttemptAt } of waiting) expect(nextAttemptAt).toBe(hourEnds.toISOString());
  expectStatus(await org.admin.post(`${endpoint.path}/deliveries/${waiting[0].id}/resend`), 202);
  expectStatus(await org.admin.post(`${endpoint.path}/test`), 202);
  await deliver(t);
  expect(types()).toHaveLength(17);
  await t.sql(
    "UPDATE webhook_endpoints SET hour_began_at = now() - interval '61 minutes', next_due_at = now() WHERE id = $1",
    [endpoint.id],
  );
  await deliver(t);
  expect(types().length).toBeGreaterThan(17);
  receiver.stop();
});

test("one IP address gets five requests at once, whatever the port; what found no free slot does not count as an attempt", async () => {
  const org = await createOrganization(t);
  const held = Promise.withResolvers<void>();
  const respond = () => held.promise.then(() => Response.json({}));
  const receivers = [startReceiver(respond), startReceiver(respond)];
  for (const { url } of receivers) await createEndpoint(org.admin, url);
  for (let at = 0; at < 4; at += 1) await todo(org);
  await relay(t);
  const worker = startDeliveries(t.running);
  const requests = () => receivers.flatMap(({ received }) => received).length;
  await until(() => (requests() >= 5 ? true : null));
  const counted = async () => {
    const [row] = await t.sql<{ sum: number }>(
      "SELECT sum(hour_attempts)::int AS sum FROM webhook_endpoints WHERE organization_id = $1",
      [org.id],
    );
    return row?.sum;
  };
  await until(async () => ((await counted()) === 5 ? true : null));
  expect(requests()).toBe(5);
  await worker.stop();
  held.resolve();
  for (const receiver of receivers) receiver.stop();
});

let addresses = 2;
/** A receiver at its own IP address that counts its requests, and holds each until `end` is called, if it `hangs`. */
function startHanging() {
  const held = Promise.withResolvers<void>();
  const state = { hangs: false, slowMs: 0, running: 0 };
  const hostname = `127.0.0.${addresses++}`;
  const server = Bun.serve({
    hostname,
    port: 0,
    idleTimeout: 60,
    async fetch() {
      state.running += 1;
      if (state.hangs) await held.promise;
      await Bun.sleep(state.slowMs);
      state.running -= 1;
      return new Response("ok");
    },
  });
  const stop = () => {
    held.resolve();
    return server.stop(true);
  };
  return { state, url: `http://${hostname}:${server.port}/`, stop };
}

type Hanging = { org: Organization; receivers: ReturnType<typeof startHanging>[] };

/**
 * Two organizations with two endpoints each that delivered once, after `slowMs`, have 10,000 pending deliveries, and now
 * hang.
 */
async function hangingOrganizations(slowMs = 0): Promise<Hanging[]> {
  const hanging: Hanging[] = [];
  // Endpoints of other tests use no slots.
  await t.sql("UPDATE webhook_endpoints SET next_due_at = NULL");
  for (let at = 0; at < 2; at += 1) {
    const org = await createOrganization(t);
    const receivers = [startHanging(), startHanging()];
    for (const { url, state } of receivers) {
      state.slowMs = slowMs;
      await createEndpoint(org.admin, url);
    }
    await todo(org);
    hanging.push({ org, receivers });
  }
  await deliver(t);
  for (const { org, receivers } of hanging) {
    for (const { state } of receivers) state.hangs = true;
    await t.sql(
      `INSERT INTO webhook_deliveries (endpoint_id, organization_id, event_id, event_recorded_at, event_type, sequence, state, next_attempt_at)
       SELECT endpoint_id, organization_id, event_id, event_recorded_at, event_type, sequence, 'PENDING', now()
       FROM webhook_deliveries, generate_series(1, $2::int) WHERE organization_id = $1`,
      [org.id, PENDING],
    );
    await t.sql("UPDATE webhook_endpoints SET next_due_at = now() WHERE organization_id = $1", [org.id]);
  }
  return hanging;
}

const stopAll = (hanging: Hanging[]) =>
  Promise.all(hanging.flatMap(({ receivers }) => receivers.map((receiver) => receiver.stop())));
const runningIn = (hanging: Hanging[]) =>
  hanging.flatMap(({ receivers }) => receivers).reduce((sum, { state }) => sum + state.running, 0);
const attemptsOf = async ({ org }: Hanging) =>
  (
    await t.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM webhook_deliveries WHERE organization_id = $1 AND state = 'PENDING' AND attempt_count = 0`,
      [org.id],
    )
  )[0]?.count;

test("receivers of several organizations that begin to hang, with 10,000 pending deliveries each, do not delay another one's first attempt", async () => {
  const hanging = await hangingOrganizations();
  const worker = startDeliveries(t.running);
  // The first one takes two endpoints' four slots each. Of the last fifth an organization gets one.
  await until(() => (runningIn(hanging) === CONCURRENCY - 1 ? true : null));
  const org = await createOrganization(t);
  const receiver = startReceiver();
  await createEndpoint(org.admin, receiver.url);
  await todo(org);
  await relay(t);
  worker.notify();
  await until(() => (receiver.received.length > 0 ? true : null));
  // Not one of the hanging requests has ended.
  for (const one of hanging) expect(await attemptsOf(one)).toBe(2 * PENDING);
  await worker.stop();
  await stopAll(hanging);
  receiver.stop();
});

test("receivers that succeed slowly share two fifths of the slots", async () => {
  const hanging = await hangingOrganizations(2_100);
  const worker = startDeliveries(t.running);
  await until(() => (runningIn(hanging) === 0.4 * CONCURRENCY ? true : null));
  const org = await createOrganization(t);
  const receiver = startReceiver();
  await createEndpoint(org.admin, receiver.url);
  await todo(org);
  await relay(t);
  worker.notify();
  await until(() => (receiver.received.length > 0 ? true : null));
  expect(runningIn(hanging)).toBe(0.4 * CONCURRENCY);
  await worker.stop();
  await stopAll(hanging);
  receiver.stop();
});
