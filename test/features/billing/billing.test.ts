import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, outcome } from "../../support/outcomes.ts";
import { PAYMENT, PLANS, planFiles, setPlanOverride, storeSubscription } from "../../support/plans.ts";
import { namesOfProduct } from "../../support/product-names.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";

const planFile = planFiles();
const t = await startService({ BILLING_PLANS_FILE: planFile(PLANS), ...PAYMENT });

/** The response of billing, without the limits of a product. */
const billing = async (caller: Caller, options = {}) => {
  const { body } = expectStatus(await caller.get("/api/organization/billing", options), 200);
  const ofProduct = namesOfProduct("limits");
  return { ...body, limits: body.limits.filter(({ name }: { name: string }) => !ofProduct.has(name)) };
};
const makeTodo = async (caller: Caller, title = "Todo") =>
  expectStatus(await caller.post("/api/todos", { title }), 201).body;

const IN_GREEK = "UPDATE users SET language = 'EL' WHERE email = $1";

test("billing returns the plan and its source, the usage of every limit, and the plans that can be bought", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("One");
  const member = await org.member({ role: "MEMBER", unit });
  await makeTodo(member);
  await makeTodo(org.admin);
  const body = await billing(org.admin);
  expect(body).toEqual({
    enabled: true,
    configured: true,
    plan: { key: "pro", name: "Pro", source: "trial" },
    trialEndsAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    subscription: null,
    limits: [
      { name: "members", label: "Members", limit: 9, used: 2, resetsAt: null },
      { name: "units", label: "Units", limit: 9, used: 1, resetsAt: null },
      { name: "todos", label: "Todos", limit: 9, used: 2, resetsAt: null },
      { name: "serviceAccounts", label: "Service accounts", limit: null, used: 0, resetsAt: null },
      { name: "webhookEndpoints", label: "Webhook endpoints", limit: null, used: 0, resetsAt: null },
    ],
    features: ["audit"],
    plans: [
      {
        key: "pro",
        name: "Pro",
        limits: { members: 9, units: 9, todos: 9 },
        features: ["audit"],
        intervals: ["month", "year"],
        prices: null,
      },
      {
        key: "enterprise",
        name: "Enterprise",
        limits: {},
        features: ["audit", "reports"],
        intervals: ["year"],
        prices: null,
      },
    ],
  });
});

test("names of plans and limits are in the caller's language, and a missing name falls back to the key", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  await t.sql(IN_GREEK, [org.admin.email]);
  const body = await billing(org.admin);
  expect(body.plan).toEqual({ key: "pro", name: "Επαγγελματικό", source: "trial" });
  expect(body.limits.map(({ label }: { label: string }) => label)).toEqual([
    "Μέλη",
    "Μονάδες",
    "Εργασίες",
    "Λογαριασμοί υπηρεσίας",
    "Webhooks",
  ]);
  expect(body.plans.map(({ name }: { name: string }) => name)).toEqual(["Επαγγελματικό", "Εταιρικό"]);
  await setPlanOverride(admin, org, "gift");
  expect((await billing(org.admin)).plan).toEqual({ key: "gift", name: "gift", source: "override" });
  // The language of the caller, not of the organization's members.
  expect((await billing(admin, actingIn(org))).limits[0].label).toBe("Members");
});

test("a plan limit that is null or missing is returned as null, and its usage is still counted", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  await makeTodo(org.admin);
  await setPlanOverride(admin, org, "gift");
  expect((await billing(org.admin)).limits).toMatchObject([
    { name: "members", limit: null, used: 1, resetsAt: null },
    { name: "units", limit: 7, used: 0, resetsAt: null },
    { name: "todos", limit: null, used: 1, resetsAt: null },
    { name: "serviceAccounts", limit: null, used: 0, resetsAt: null },
    { name: "webhookEndpoints", limit: null, used: 0, resetsAt: null },
  ]);
});

test("the usage of limits excludes deleted records and former members, but includes former members' todos", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const used = async () =>
    (await billing(org.admin)).limits.map((limit: { used: number }) => limit.used).join();
  const [unit, leaver] = [await org.unit("One"), await org.member()];
  const [kept, deleted] = [await makeTodo(leaver), await makeTodo(org.admin)];
  await other.unit("Elsewhere");
  await makeTodo(other.admin);
  expect(await used()).toBe("2,1,2,0,0");
  expectStatus(await leaver.post("/api/organization/leave"), 204);
  expect(await used()).toBe("1,1,2,0,0");
  expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
  expectStatus(await org.admin.delete(`/api/todos/${deleted.id}`), 204);
  expect(await used()).toBe("1,0,1,0,0");
  expectStatus(await org.admin.delete(`/api/todos/${kept.id}`), 204);
  expect(await used()).toBe("1,0,0,0,0");
});

test("billing returns the subscription as stored from the provider, also if it grants no plan", async () => {
  const org = await createOrganization(t);
  const current_period_end = new Date("2030-01-31T09:30:00.123Z");
  const stored = { status: "past_due", price_id: "price_pro_year", current_period_end };
  await storeSubscription(t, org, { ...stored, cancel_at_period_end: true });
  const shown = {
    status: "past_due",
    plan: "pro",
    interval: "year",
    currentPeriodEnd: "2030-01-31T09:30:00.123Z",
    cancelAtPeriodEnd: true,
  };
  expect(await billing(org.admin)).toMatchObject({
    plan: { key: "pro", source: "subscription" },
    subscription: shown,
  });
  await storeSubscription(t, org, { status: "canceled" });
  expect(await billing(org.admin)).toMatchObject({
    plan: { key: "pro", source: "trial" },
    subscription: { ...shown, status: "canceled" },
  });
  await storeSubscription(t, org, {
    price_id: "price_gone",
    current_period_end: null,
    cancel_at_period_end: false,
  });
  expect((await billing(org.admin)).subscription).toEqual({
    status: "canceled",
    plan: null,
    interval: null,
    currentPeriodEnd: null,
    cancelAtPeriodEnd: false,
  });
});

test("reading billing needs organization-wide Billing.Read, or a platform administrator", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("One");
  const reader = await org.role("Reader", "Billing.Read");
  const admin = await t.platformAdmin();
  const read = async (caller: Caller, options = {}) =>
    outcome(await caller.get("/api/organization/billing", options));
  expect(await read(await org.member({ role: reader }))).toBe("200");
  for (const given of [{ role: "MEMBER" }, { role: "UNIT_ADMIN", unit }, { role: reader, unit }])
    expect(await read(await org.member(given))).toBe("403 FORBIDDEN");
  expect(await read(await t.person())).toBe("403 ORGANIZATION_REQUIRED");
  expect(await read(t.anonymous())).toBe("401 UNAUTHENTICATED");
  expect(await read(admin)).toBe("400 ORGANIZATION_REQUIRED");
  expect(await read(admin, actingIn(org))).toBe("200");
  expect(await read(admin, actingIn({ id: crypto.randomUUID() }))).toBe("404 NOT_FOUND");
  expect(await read(org.admin, actingIn(org))).toBe("403 ORGANIZATION_OVERRIDE_FORBIDDEN");
});

test("an organization that only had the default plan has neither trial nor subscription", async () => {
  const org = await createOrganization(t);
  await t.sql("DELETE FROM organization_subscriptions WHERE organization_id = $1", [org.id]);
  expect(await billing(org.admin)).toMatchObject({
    plan: { key: "free", name: "Free", source: "default" },
    trialEndsAt: null,
    subscription: null,
    features: [],
  });
});

test("without payment variables the bundled plans apply and nothing can be bought", async () => {
  const bundled = await startService({ BILLING_PLANS_FILE: undefined });
  const org = await createOrganization(bundled);
  expect(await billing(org.admin)).toMatchObject({
    enabled: true,
    configured: false,
    plan: { key: "pro", source: "trial" },
    limits: [
      { name: "members", limit: 50 },
      { name: "units", limit: 50 },
      { name: "todos", limit: 10_000 },
      { name: "serviceAccounts", limit: 20 },
      { name: "webhookEndpoints", limit: 10 },
    ],
    plans: [
      {
        key: "pro",
        limits: { members: 50, units: 50, todos: 10_000, serviceAccounts: 20, webhookEndpoints: 10 },
        intervals: [],
      },
      { key: "enterprise", limits: {}, features: ["audit", "sso"], intervals: [] },
    ],
  });
});

test("without billing there is no plan, no limit and nothing to buy, and every feature is available", async () => {
  const off = await sharedService();
  const org = await createOrganization(off);
  await org.unit("One");
  const body = await billing(org.admin);
  expect(body).toEqual({
    enabled: false,
    configured: false,
    plan: null,
    trialEndsAt: null,
    subscription: null,
    limits: [
      { name: "members", label: "Members", limit: null, used: 1, resetsAt: null },
      { name: "units", label: "Units", limit: null, used: 1, resetsAt: null },
      { name: "todos", label: "Todos", limit: null, used: 0, resetsAt: null },
      { name: "serviceAccounts", label: "Service accounts", limit: null, used: 0, resetsAt: null },
      { name: "webhookEndpoints", label: "Webhook endpoints", limit: null, used: 0, resetsAt: null },
    ],
    features: ["audit", "sso"],
    plans: [],
  });
});
