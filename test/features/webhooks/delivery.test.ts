import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { jobKinds } from "../../../src/app/jobs.ts";
import { encodeCursor } from "../../../src/features/events/cursor.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { eventsAfter, relay } from "../../support/outgoing-events.ts";
import { expectStatus, startService } from "../../support/service.ts";
import {
  createEndpoint,
  deliver,
  deliveriesOf,
  ENDPOINTS,
  LOCAL,
  makeDue,
  startReceiver,
} from "../../support/webhooks.ts";

const t = await startService({ ...LOCAL, METRICS_PORT: "0" });

const todo = async (org: Organization, title = "a") =>
  expectStatus(await org.admin.post("/api/todos", { title }), 201).body;
const runJob = (queue: string) => jobKinds.find((kind) => kind.queue === queue)?.run(t.running, {} as never);

const signatureOf = (secret: string, id: string, timestamp: string, body: string) =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64")}`;

test("an event of a subscribed type arrives once, signed, with the body that the list shows", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver();
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  expectStatus(await org.admin.post("/api/units", { name: "Sales", parentId: null }), 201);
  await deliver(t);
  await deliver(t);
  expect(receiver.received).toHaveLength(1);
  const [{ headers, body, event }] = receiver.received as [(typeof receiver.received)[number]];
  const { events } = await eventsAfter(t, org.admin, null, "type=todo.created");
  expect(event).toEqual(events[0] as never);
  expect(headers.get("content-type")).toBe("application/json");
  expect(headers.get("user-agent")).toBe("multi-organization-service-webhooks/1");
  expect(headers.get("accept-encoding")).toBeNull();
  const [id, timestamp] = [headers.get("webhook-id") ?? "", headers.get("webhook-timestamp") ?? ""];
  expect(id).toBe(events[0]?.id ?? "");
  expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
  expect(headers.get("webhook-signature")).toBe(signatureOf(endpoint.secret, id, timestamp, body));
  const { data, hasMore } = await deliveriesOf(org.admin, endpoint);
  expect(hasMore).toBe(false);
  expect(data).toMatchObject([
    {
      eventId: id,
      eventType: "todo.created",
      state: "SUCCEEDED",
      attemptCount: 1,
      nextAttemptAt: null,
      lastAttempt: { number: 1, status: 200, error: null, responseExcerpt: "ok" },
    },
  ]);
  const one = expectStatus(await org.admin.get(`${endpoint.path}/deliveries/${data[0].id}`), 200).body;
  expect(one).toMatchObject({ payload: event, attempts: [{ number: 1, status: 200 }] });
  receiver.stop();
});

test("the durations of attempts are measured", async () => {
  const measured = async () => {
    const text = await (await fetch(t.running.metricsUrl ?? "")).text();
    return Number(text.match(/^webhook_attempt_duration_seconds_count (\d+)$/m)?.[1]);
  };
  const before = await measured();
  const org = await createOrganization(t);
  await createEndpoint(org.admin, startReceiver().url);
  await todo(org);
  await deliver(t);
  expect((await measured()) - before).toBe(1);
});

test("during an overlap both secrets sign; without one only the new secret does", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver();
  const endpoint = await createEndpoint(org.admin, receiver.url);
  const rotated = expectStatus(await org.admin.post(`${endpoint.path}/rotate-secret`, {}), 200).body;
  await todo(org);
  await deliver(t);
  expectStatus(await org.admin.post(`${endpoint.path}/rotate-secret`, { overlapSeconds: 0 }), 200);
  await todo(org);
  await deliver(t);
  const signatures = receiver.received.map(({ headers }) => headers.get("webhook-signature")?.split(" "));
  const [first] = receiver.received;
  const sign = (secret: string) =>
    signatureOf(
      secret,
      first?.headers.get("webhook-id") ?? "",
      first?.headers.get("webhook-timestamp") ?? "",
      first?.body ?? "",
    );
  expect(signatures[0]).toEqual([sign(rotated.secret), sign(endpoint.secret)]);
  expect(signatures[1]).toHaveLength(1);
  receiver.stop();
});

test("a failed attempt is repeated with the same id, after waits that grow, and fails after the tenth", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver(() => new Response("broken\u0000", { status: 500 }));
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  await deliver(t);
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const [delivery] = (await deliveriesOf(org.admin, endpoint)).data;
    expect(delivery).toMatchObject({ attemptCount: attempt, state: attempt < 10 ? "PENDING" : "FAILED" });
    expect(delivery.lastAttempt).toMatchObject({
      number: attempt,
      status: 500,
      responseExcerpt: "broken\u{FFFD}",
    });
    if (attempt === 10) break;
    const { startedAt, durationMs } = delivery.lastAttempt;
    waits.push((Date.parse(delivery.nextAttemptAt) - Date.parse(startedAt) - durationMs) / 1000);
    await makeDue(t, endpoint);
    await deliver(t);
  }
  const planned = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
  for (const [at, wait] of waits.entries()) {
    expect(wait).toBeGreaterThan((planned[at] ?? 0) * 0.89);
    expect(wait).toBeLessThan((planned[at] ?? 0) * 1.11 + 5);
  }
  expect(new Set(receiver.received.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
  expect((await org.admin.get(endpoint.path)).body).toMatchObject({
    enabled: true,
    failingSince: expect.any(String),
    pendingCount: 0,
  });
  const { needsAttention } = expectStatus(await org.admin.get("/api/organization/overview"), 200).body;
  expect(needsAttention.failingWebhooks).toBe(1);
  receiver.stop();
});

test("Retry-After of 429 and 503 lengthens a wait, up to a day; a success ends failing", async () => {
  const org = await createOrganization(t);
  const responses = [
    new Response(null, { status: 429, headers: { "retry-after": "3600" } }),
    new Response(null, { status: 503, headers: { "retry-after": "9999999" } }),
    new Response(null, { status: 500, headers: { "retry-after": "9999999" } }),
    new Response(null, { status: 204 }),
  ];
  const receiver = startReceiver((_, count) => responses[count - 1] ?? new Response());
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  for (const seconds of [3_600, 86_400, 1_800]) {
    await deliver(t);
    const [delivery] = (await deliveriesOf(org.admin, endpoint)).data;
    const wait = (Date.parse(delivery.nextAttemptAt) - Date.parse(delivery.lastAttempt.startedAt)) / 1000;
    expect(Math.round(wait / seconds)).toBe(1);
    await makeDue(t, endpoint);
  }
  await deliver(t);
  expect((await org.admin.get(endpoint.path)).body).toMatchObject({
    failingSince: null,
    lastSuccessAt: expect.any(String),
  });
  receiver.stop();
});

test("a redirect is not followed, and counts as a failure", async () => {
  const org = await createOrganization(t);
  const target = startReceiver();
  const receiver = startReceiver(() => Response.redirect(target.url, 307));
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  await deliver(t);
  expect(target.received).toHaveLength(0);
  const [delivery] = (await deliveriesOf(org.admin, endpoint)).data;
  expect(delivery).toMatchObject({ state: "PENDING", lastAttempt: { status: 307 } });
  receiver.stop();
  target.stop();
});

test("410 disables the endpoint at once, and says so in the audit log, an event, a notification and a mail", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver(() => new Response(null, { status: 410 }));
  const endpoint = await createEndpoint(org.admin, receiver.url, [
    "todo.created",
    "webhook_endpoint.disabled",
  ]);
  await todo(org);
  await todo(org);
  await deliver(t);
  expect((await org.admin.get(endpoint.path)).body).toMatchObject({
    enabled: false,
    disabledReason: "GONE",
    pendingCount: 0,
  });
  const { data } = (await org.admin.get("/api/organization/audit-events?action=WEBHOOK_ENDPOINT_DISABLED"))
    .body;
  expect(data).toMatchObject([
    { actor: null, metadata: { host: new URL(receiver.url).host, reason: "GONE" } },
  ]);
  const { events } = await eventsAfter(t, org.admin, null, "type=webhook_endpoint.disabled");
  expect(events).toMatchObject([
    { actor: null, requestId: null, data: { reason: "GONE", object: { enabled: false } } },
  ]);
  const mails = await t.mailTo(org.admin.email);
  expect(mails.map(({ subject }) => subject)).toContain("A webhook endpoint of Acme was disabled");
  await todo(org);
  await deliver(t);
  expect(
    (await deliveriesOf(org.admin, endpoint)).data.every((one: { state: string }) => one.state === "FAILED"),
  ).toBe(true);
  receiver.stop();
});

test("after a day of failures a warning is mailed once; after five days the endpoint is disabled", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver(() => new Response(null, { status: 500 }));
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await deliver(t);
    await makeDue(t, endpoint);
  }
  const failingFor = (days: number) =>
    t.sql("UPDATE webhook_endpoints SET failing_since = now() - make_interval(days => $2) WHERE id = $1", [
      endpoint.id,
      days,
    ]);
  const subjects = async () => (await t.mailTo(org.admin.email)).map(({ subject }) => subject);
  await failingFor(1);
  await runJob("webhooks.failing");
  await runJob("webhooks.failing");
  expect(
    (await subjects()).filter((subject) => subject === "A webhook endpoint of Acme is failing"),
  ).toHaveLength(1);
  await failingFor(6);
  await t.sql("UPDATE webhook_endpoints SET last_failure_at = now() - interval '2 days' WHERE id = $1", [
    endpoint.id,
  ]);
  await runJob("webhooks.failing");
  expect((await org.admin.get(endpoint.path)).body.enabled).toBe(true);
  await deliver(t);
  await runJob("webhooks.failing");
  expect((await org.admin.get(endpoint.path)).body).toMatchObject({
    enabled: false,
    disabledReason: "FAILING",
  });
  expect((await deliveriesOf(org.admin, endpoint)).data).toMatchObject([
    { state: "FAILED", nextAttemptAt: null },
  ]);
  expectStatus(await org.admin.patch(endpoint.path, { enabled: true }), 200);
  expect((await org.admin.get(endpoint.path)).body).toMatchObject({
    enabled: true,
    failingSince: null,
    disabledReason: null,
  });
  receiver.stop();
});

test("while disabled nothing is queued or sent; recover brings what was missed and what failed, and nothing twice", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver(({ event }) =>
    (event.data as { object: { title: string } }).object.title === "broken" && !repaired
      ? new Response(null, { status: 500 })
      : new Response("ok"),
  );
  let repaired = false;
  const endpoint = await createEndpoint(org.admin, receiver.url);
  const from = new Date().toISOString();
  await todo(org, "good");
  await todo(org, "broken");
  await deliver(t);
  await t.sql(
    "UPDATE webhook_deliveries SET state = 'FAILED', next_attempt_at = NULL WHERE endpoint_id = $1 AND state = 'PENDING'",
    [endpoint.id],
  );
  expectStatus(await org.admin.patch(endpoint.path, { enabled: false }), 200);
  await todo(org, "missed");
  await deliver(t);
  expect((await deliveriesOf(org.admin, endpoint)).data).toHaveLength(2);
  repaired = true;
  expectStatus(await org.admin.patch(endpoint.path, { enabled: true }), 200);
  const { count } = expectStatus(await org.admin.post(`${endpoint.path}/recover`, { from }), 202).body;
  expect(count).toBe(2);
  await deliver(t);
  expect(
    receiver.received.map(({ event }) => (event.data as { object: { title: string } }).object.title).sort(),
  ).toEqual(["broken", "broken", "good", "missed"].sort());
  expect(expectStatus(await org.admin.post(`${endpoint.path}/recover`, { from }), 202).body.count).toBe(0);
  receiver.stop();
});

test("a resend makes one attempt of any delivery; of two at once one is 409, and disabled is 409", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver((_, count) => new Response("x", { status: count === 2 ? 500 : 200 }));
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  await deliver(t);
  const [{ id }] = (await deliveriesOf(org.admin, endpoint)).data;
  const path = `${endpoint.path}/deliveries/${id}/resend`;
  const both = await Promise.all([org.admin.post(path), org.admin.post(path)]);
  expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
  await deliver(t);
  expect((await deliveriesOf(org.admin, endpoint)).data).toMatchObject([
    { state: "SUCCEEDED", attemptCount: 2, nextAttemptAt: null, lastAttempt: { status: 500 } },
  ]);
  expectStatus(await org.admin.patch(endpoint.path, { enabled: false }), 200);
  expectStatus(await org.admin.post(path), 409);
  expectStatus(await org.admin.post(`${endpoint.path}/test`), 409);
  receiver.stop();
});

test("who may not read a type neither resends it nor changes the address to which it waits to be sent", async () => {
  const org = await createOrganization(t);
  const role = await org.role("Hooks", "Webhooks.Update", "Webhooks.Read", "Units.Read");
  const person = await org.member({ role });
  const receiver = startReceiver(() => new Response(null, { status: 500 }));
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  await deliver(t);
  const [{ id }] = (await deliveriesOf(org.admin, endpoint)).data;
  const url = "https://mine.example.com/";
  for (const change of [{ eventTypes: ["unit.created"], url }, { eventTypes: ["unit.created"] }, { url }])
    expect((await person.patch(endpoint.path, change)).status).toBe("url" in change ? 403 : 200);
  expectStatus(await person.post(`${endpoint.path}/deliveries/${id}/resend`), 403);
  expectStatus(await org.admin.post(`${endpoint.path}/deliveries/${id}/resend`), 202);
  expectStatus(await org.admin.patch(endpoint.path, { url }), 200);
  receiver.stop();
});

test("a delivery whose event is no longer kept fails without an attempt, and is not sent again", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver();
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  await relay(t);
  await t.sql("DELETE FROM events WHERE organization_id = $1 AND type = 'todo.created'", [org.id]);
  await todo(org);
  await deliver(t);
  expect(receiver.received).toHaveLength(1);
  const { data } = await deliveriesOf(org.admin, endpoint, "state=FAILED");
  expect(data).toMatchObject([{ nextAttemptAt: null, attemptCount: 0 }]);
  expectStatus(await org.admin.post(`${endpoint.path}/deliveries/${data[0].id}/resend`), 409);
  receiver.stop();
});

test("a test goes to that endpoint alone and is in no list of events", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver();
  const endpoint = await createEndpoint(org.admin, receiver.url, ["*"]);
  const { body } = expectStatus(await org.admin.post(`${endpoint.path}/test`), 202);
  expect(body).toMatchObject({ eventType: "webhook.test", state: "PENDING", sequence: 0 });
  await deliver(t);
  const tests = receiver.received.filter(({ event }) => event.type === "webhook.test");
  expect(tests).toHaveLength(1);
  expect(tests[0]?.headers.get("webhook-id")).toBe(body.eventId);
  expect((await eventsAfter(t, org.admin)).events.map(({ type }) => type)).not.toContain("webhook.test");
  for (let at = 1; at < 10; at += 1) expectStatus(await org.admin.post(`${endpoint.path}/test`), 202);
  expectStatus(await org.admin.post(`${endpoint.path}/test`), 429);
  receiver.stop();
});

test("the types at the time of the relay decide; a deleted endpoint gets nothing more", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver();
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  expectStatus(await org.admin.patch(endpoint.path, { eventTypes: ["unit.created"] }), 200);
  await deliver(t);
  expect(receiver.received).toHaveLength(0);
  expectStatus(await org.admin.patch(endpoint.path, { eventTypes: ["todo.created"] }), 200);
  await todo(org);
  await relay(t);
  expectStatus(await org.admin.delete(endpoint.path), 204);
  await deliver(t);
  expect(receiver.received).toHaveLength(0);
  expectStatus(await org.admin.get(endpoint.path), 404);
  receiver.stop();
});

test("an instance that dies after the receiver's response sends again, with the same id", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver();
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  await deliver(t);
  await t.sql(
    `UPDATE webhook_deliveries SET state = 'PENDING', attempt_count = 0, next_attempt_at = now() - interval '1 minute',
       leased_until = now() + interval '27 s' WHERE endpoint_id = $1`,
    [endpoint.id],
  );
  await t.sql(
    "UPDATE webhook_endpoints SET next_due_at = now(), leased_until = now() + interval '27 s' WHERE id = $1",
    [endpoint.id],
  );
  await deliver(t);
  expect(receiver.received).toHaveLength(1);
  await t.sql("UPDATE webhook_deliveries SET leased_until = now() WHERE endpoint_id = $1", [endpoint.id]);
  await t.sql("UPDATE webhook_endpoints SET leased_until = now() WHERE id = $1", [endpoint.id]);
  await deliver(t);
  expect(new Set(receiver.received.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
  expect(receiver.received).toHaveLength(2);
  receiver.stop();
});

test("while the organization is suspended deliveries wait with their clock stopped", async () => {
  const org = await createOrganization(t);
  const admin = await t.platformAdmin();
  const receiver = startReceiver();
  const endpoint = await createEndpoint(org.admin, receiver.url);
  await todo(org);
  await relay(t);
  const status = (to: string) => admin.patch(`/api/organizations/${org.id}/status`, { status: to });
  expectStatus(await status("SUSPENDED"), 200);
  await deliver(t);
  expect(receiver.received).toHaveLength(0);
  await t.sql(
    "UPDATE webhook_endpoints SET paused_at = now() - interval '3 days', failing_since = now() - interval '4 days' WHERE id = $1",
    [endpoint.id],
  );
  expectStatus(await status("ACTIVE"), 200);
  const [row] = await t.sql<{ days: number }>(
    "SELECT extract(epoch FROM now() - failing_since)::float8 / 86400 AS days FROM webhook_endpoints WHERE id = $1",
    [endpoint.id],
  );
  expect(Math.round(row?.days ?? 0)).toBe(1);
  await makeDue(t, endpoint);
  await deliver(t);
  expect(receiver.received).toHaveLength(1);
  receiver.stop();
});

test("an endpoint that a service account made is disabled when that account is deleted", async () => {
  const { createMachine, ACCOUNTS } = await import("../../support/machines.ts");
  const org = await createOrganization(t);
  const machine = await createMachine(org, { role: "ORG_ADMIN" });
  const receiver = startReceiver();
  const endpoint = await createEndpoint(machine.caller, receiver.url);
  expect((await org.admin.get(endpoint.path)).body.createdBy).toEqual({
    type: "service_account",
    id: machine.id,
  });
  expectStatus(await org.admin.delete(`${ACCOUNTS}/${machine.id}`), 204);
  expect((await org.admin.get(endpoint.path)).body).toMatchObject({
    enabled: false,
    disabledReason: "CREATOR_DELETED",
  });
  const { events } = await eventsAfter(t, org.admin, null, "type=webhook_endpoint.disabled");
  expect(events).toMatchObject([{ data: { reason: "CREATOR_DELETED" } }]);
  receiver.stop();
});

test("deliveries are listed by cursor and filters, and a cursor belongs to one endpoint", async () => {
  const org = await createOrganization(t);
  const receiver = startReceiver();
  const endpoint = await createEndpoint(org.admin, receiver.url);
  const other = await createEndpoint(org.admin, receiver.url, ["unit.created"]);
  for (const title of ["a", "b", "c"]) await todo(org, title);
  await deliver(t);
  const first = await deliveriesOf(org.admin, endpoint, "pageSize=2");
  const second = await deliveriesOf(org.admin, endpoint, `pageSize=2&after=${first.cursor}`);
  const sequences = [...first.data, ...second.data].map(({ sequence }: { sequence: number }) => sequence);
  expect(sequences).toEqual(sequences.toSorted((one, two) => two - one));
  expect([first.hasMore, second.hasMore, sequences.length]).toEqual([true, false, 3]);
  expect((await deliveriesOf(org.admin, endpoint, "state=FAILED")).data).toEqual([]);
  expect((await deliveriesOf(org.admin, endpoint, `eventId=${first.data[0].eventId}`)).data).toHaveLength(1);
  expectStatus(await org.admin.get(`${other.path}/deliveries?after=${first.cursor}`), 400);
  expectStatus(await org.admin.get(`${ENDPOINTS}/${org.id}/deliveries`), 404);
  for (const position of ["x", `2026-02-30T00:00:00.000/${org.id}`, "2026-02-03T00:00:00.000/x"]) {
    const forged = encodeCursor({ list: `deliveries:${endpoint.id}`, epoch: "0", position });
    expectStatus(await org.admin.get(`${endpoint.path}/deliveries?after=${forged}`), 400);
  }
  receiver.stop();
});
