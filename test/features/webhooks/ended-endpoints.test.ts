import { expect, test } from "bun:test";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { relay } from "../../support/outgoing-events.ts";
import { expectStatus, startService } from "../../support/service.ts";
import {
  createEndpoint,
  deliver,
  deliveriesOf,
  ENDPOINTS,
  LOCAL,
  startReceiver,
} from "../../support/webhooks.ts";

const t = await startService(LOCAL);
const todo = async (org: Organization) =>
  expectStatus(await org.admin.post("/api/todos", { title: "a" }), 201);
const overviewOf = async (org: Organization) =>
  expectStatus(await org.admin.get("/api/organization/overview?days=7"), 200).body;

test("an endpoint that the service disabled needs attention, one that somebody disabled does not", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver(() => new Response(null, { status: 410 }));
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  await deliver(t);
  expect((await org.admin.get(endpoint.path)).body.disabledReason).toBe("GONE");
  expect((await overviewOf(org)).needsAttention.failingWebhooks).toBe(1);
  receiver.stop();

  const other = await createOrganization(t);
  const { path } = await createEndpoint(other.admin, "https://receiver.example.com/");
  expectStatus(await other.admin.patch(path, { enabled: false }), 200);
  expect((await overviewOf(other)).needsAttention.failingWebhooks).toBe(0);
});

test("the usage of webhook endpoints is reported as of each day", async () => {
  const org = await createOrganization(t);
  const { id } = await createEndpoint(org.admin, "https://receiver.example.com/");
  await createEndpoint(org.admin, "https://receiver.example.com/");
  await t.sql("UPDATE webhook_endpoints SET created_at = now() - interval '2 days' WHERE id = $1", [id]);
  const { plan } = await overviewOf(org);
  const { series } = plan.limits.find(({ limit }: { limit: string }) => limit === "webhookEndpoints");
  expect(series.map(({ count }: { count: number }) => count)).toEqual([0, 0, 0, 0, 1, 1, 2]);
});

test("pending deliveries of a deleted endpoint, and of a deleted organization, are discarded and no longer counted", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const endpoints = [];
  for (const one of [org, other]) {
    endpoints.push(await createEndpoint(one.admin, "https://receiver.example.com/"));
    await todo(one);
    await todo(one);
  }
  await relay(t);
  expectStatus(await org.admin.delete(endpoints[0]?.path ?? ""), 204);
  const platformAdmin = await t.platformAdmin();
  expectStatus(await platformAdmin.delete(`/api/organizations/${other.id}`), 204);
  for (const endpoint of endpoints) {
    const rows = await t.sql<{ state: string; pending: number }>(
      `SELECT state, (SELECT sum(rows)::int FROM counted_rows WHERE list = 'pending_deliveries' AND owner = $1 AND part IS NULL) AS pending
       FROM webhook_deliveries WHERE endpoint_id = $1`,
      [endpoint.id],
    );
    expect(rows).toEqual(Array(2).fill({ state: "DISCARDED", pending: 0 }));
  }
});

test("tests of a disabled endpoint count towards the limit, which is checked first", async () => {
  const org = await createOrganization(t);
  const { path } = await createEndpoint(org.admin, "https://receiver.example.com/");
  expectStatus(await org.admin.patch(path, { enabled: false }), 200);
  for (let at = 0; at < 10; at += 1) expectStatus(await org.admin.post(`${path}/test`), 409);
  expectStatus(await org.admin.post(`${path}/test`), 429);
});

test("an endpoint that is disabled again and again is mailed about once an hour, and notified about each time", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver(() => new Response(null, { status: 410 }));
  const endpoint = await createEndpoint(org.admin, receiver.url);
  const rounds = 3;
  for (let at = 0; at < rounds; at += 1) {
    expectStatus(await org.admin.patch(endpoint.path, { enabled: true }), 200);
    await todo(org);
    await deliver(t);
  }
  receiver.stop();
  const notified = (await org.admin.get("/api/notifications")).body.data;
  const isAbout = ({ type }: { type: string }) => type === "WEBHOOK_ENDPOINT_DISABLED";
  expect(notified.filter(isAbout)).toHaveLength(rounds);
  const mails = await t.mailTo(org.admin.email);
  expect(mails.filter(({ subject }) => /webhook/i.test(subject ?? ""))).toHaveLength(1);
});

test("an address is stored as it is requested, whatever it was typed like", async () => {
  const org = await createOrganization(t);
  for (const [typed, stored] of [
    ["https://example.com\\@127.0.0.1/", "https://example.com/@127.0.0.1/"],
    ["HTTPS://EXAMPLE.com:443/a/../b", "https://example.com/b"],
  ]) {
    const { body } = expectStatus(await org.admin.post(ENDPOINTS, { url: typed, eventTypes: ["*"] }), 201);
    expect(body.url).toBe(stored);
    expect((await deliveriesOf(org.admin, { ...body, path: `${ENDPOINTS}/${body.id}` })).data).toEqual([]);
    expect(expectStatus(await org.admin.patch(`${ENDPOINTS}/${body.id}`, { url: typed }), 200).body.url).toBe(
      stored,
    );
  }
});
