import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { DEMO_PASSWORD, seedDemoData } from "../../src/dev/demo.ts";
import { expectStatus, startService } from "../support/service.ts";

const t = await startService({
  BILLING_PLANS_FILE: fileURLToPath(import.meta.resolve("../../src/core/plans/plans.json")),
});

test("the demo organization has a past of 90 days that every list and overview can show", async () => {
  await seedDemoData(t.running);
  // Nothing is added when the service starts again.
  await seedDemoData(t.running);
  const ada = t.anonymous();
  const account = { email: "ada@demo.example", password: DEMO_PASSWORD };
  expectStatus(await ada.post("/api/auth/login", account), 200);
  const { body } = expectStatus(await ada.get("/api/organization/overview?days=90"), 200);
  const { members, tickets, todos, needsAttention, plan, activity } = body;
  const sum = (series: { count: number }[]) => series.reduce((all, { count }) => all + count, 0);
  expect(sum(members.active)).toBeGreaterThan(500);
  expect(sum(tickets.opened)).toBe(42);
  expect(tickets.medianFirstReplySeconds).toBeGreaterThan(600);
  expect(sum(todos.completed)).toBeGreaterThan(100);
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
