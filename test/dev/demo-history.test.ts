import { beforeAll, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { DEMO_PASSWORD, seedDemoData } from "../../src/dev/demo.ts";
import { relay } from "../support/outgoing-events.ts";
import { expectStatus, startService } from "../support/service.ts";

const t = await startService({
  BILLING_PLANS_FILE: fileURLToPath(import.meta.resolve("../../src/core/plans/plans.json")),
});

const ada = t.anonymous();
beforeAll(async () => {
  await seedDemoData(t.running, { receiverUrl: "http://127.0.0.1:1/hook", provider: null });
  // Nothing is added when the service starts again.
  await seedDemoData(t.running, { receiverUrl: "http://127.0.0.1:2/hook", provider: null });
  const account = { email: "ada@demo.example", password: DEMO_PASSWORD };
  expectStatus(await ada.post("/api/auth/login", account), 200);
});

test("the demo organization has a past of 90 days that every list and overview can show", async () => {
  const { body } = expectStatus(await ada.get("/api/organization/overview?days=90"), 200);
  const { members, tickets, todos, needsAttention, plan, activity } = body;
  const sum = (series: { count: number }[]) => series.reduce((all, { count }) => all + count, 0);
  expect(sum(members.active)).toBeGreaterThan(500);
  expect(sum(tickets.opened)).toBeGreaterThan(90);
  expect(tickets.medianFirstReplySeconds).toBeGreaterThan(600);
  expect(sum(todos.completed)).toBeGreaterThan(90);
  expect(activity).toHaveLength(8);
  expect(needsAttention.waitingTickets).toBeGreaterThan(0);
  expect(needsAttention.expiringInvitations).toBe(2);
  expect(needsAttention.limitsNearlyReached).toContainEqual({ limit: "members", used: 46, max: 50 });
  expect(plan.limits[0].reachedOn).not.toBeNull();
  for (const path of [
    "/api/members",
    "/api/todos/all",
    "/api/organization/helpdesk/tickets",
    "/api/organization/audit-events",
    "/api/members/invitations",
  ])
    expect(expectStatus(await ada.get(`${path}?pageSize=100`), 200).body.total).toBeGreaterThan(2);
});

test("the demo organization is older than its members, todos and events", async () => {
  const { createdAt } = expectStatus(await ada.get("/api/organization"), 200).body;
  const oldest = async (list: string) => expectStatus(await ada.get(list), 200).body.data[0];
  const [member, todo, event] = [
    await oldest("/api/members?sort=joinedAt&order=asc"),
    await oldest("/api/todos/all?sort=createdAt&order=asc"),
    await oldest("/api/organization/audit-events?order=asc"),
  ];
  for (const time of [member.joinedAt, todo.createdAt, event.time])
    expect(Date.parse(time)).toBeGreaterThanOrEqual(Date.parse(createdAt));
});

test("the demo organization sends its events to the receiver: one delivery failed, others succeeded at the second attempt", async () => {
  const { body: endpoints } = expectStatus(await ada.get("/api/webhooks/endpoints"), 200);
  const [endpoint] = endpoints.data;
  expect(endpoints.data).toHaveLength(1);
  expect(endpoint).toMatchObject({ url: "http://127.0.0.1:2/hook", enabled: true, pendingCount: 0 });
  const path = `/api/webhooks/endpoints/${endpoint.id}/deliveries`;
  const { body: deliveries } = expectStatus(await ada.get(`${path}?pageSize=100`), 200);
  const attempts = (state: string) =>
    deliveries.data
      .filter((one: { state: string }) => one.state === state)
      .map(({ attemptCount }: { attemptCount: number }) => attemptCount);
  expect(attempts("FAILED")).toEqual([10]);
  expect(new Set(attempts("SUCCEEDED"))).toEqual(new Set([1, 2]));
  const failed = deliveries.data.find(({ state }: { state: string }) => state === "FAILED");
  const { body: delivery } = expectStatus(await ada.get(`${path}/${failed.id}`), 200);
  const { body: event } = expectStatus(await ada.get(`/api/events/${failed.eventId}`), 200);
  expect(delivery.payload).toEqual(event);
  expect(delivery.attempts).toHaveLength(10);
  // New events continue the numbering.
  expectStatus(await ada.post("/api/units", { name: "New", parentId: null }), 201);
  await relay(t);
  const { body: last } = expectStatus(await ada.get("/api/events?pageSize=100"), 200);
  expect(last.data.at(-1).type).toBe("unit.created");
  const numbers = last.data.map(({ sequence }: { sequence: number }) => sequence);
  expect(numbers).toEqual(numbers.map((_: number, index: number) => index + 1));
});
