import { afterEach, expect, test } from "bun:test";
import { eventsOf } from "../../support/events.ts";
import type { Organization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { barrier, deliver, startServiceWithPayments } from "../../support/payments.ts";
import { planOf, setPlanOverride, storeSubscription } from "../../support/plans.ts";
import { expectStatus } from "../../support/service.ts";

const selling = await startServiceWithPayments();
const { t, payments } = selling;
const platform = await t.platformAdmin();
afterEach(() => {
  payments.beforeListing = null;
  payments.failNext(0);
});

const UPDATED = "customer.subscription.updated";
const PERIOD_END = 1_900_000_000;
const itemsAt = (price: string) => ({
  object: "list" as const,
  data: [{ id: "si_1", price: { id: price }, current_period_end: PERIOD_END }],
});

const plan = (org: Organization) => planOf(platform, org);
const bought = async ({ admin }: Organization) =>
  (await admin.get("/api/organization/billing")).body.subscription;
/** Returns the metadata (`from` and `to`) of all audit events about an organization's subscription. */
const changes = async ({ id }: Organization) =>
  (await eventsOf(t, "SUBSCRIPTION_CHANGED", id)).map(({ metadata }) => metadata);

const MONTHLY = { status: "active", plan: "pro", interval: "month", cancelAtPeriodEnd: false };

test("a payment webhook stores the provider's subscription, which grants its plan", async () => {
  const { org, customer } = await selling.withCustomer();
  expect(await plan(org)).toBe("pro by trial");
  const end = new Date(PERIOD_END * 1000).toISOString();
  const subscription = await selling.subscribe(customer, "", { items: itemsAt("price_enterprise") });
  expect(await plan(org)).toBe("enterprise by subscription");
  const yearly = { ...MONTHLY, plan: "enterprise", interval: "year", currentPeriodEnd: end };
  expect(await bought(org)).toEqual(yearly);

  Object.assign(subscription, {
    status: "past_due",
    cancel_at_period_end: true,
    items: itemsAt("price_pro_year"),
  });
  expectStatus(await selling.tell(UPDATED, subscription), 200);
  const now = { ...yearly, status: "past_due", plan: "pro", cancelAtPeriodEnd: true };
  expect(await bought(org)).toEqual(now);
  expect(await plan(org)).toBe("pro by subscription");

  subscription.status = "canceled";
  expectStatus(await selling.tell("customer.subscription.deleted", subscription), 200);
  expect(await bought(org)).toEqual({ ...now, status: "canceled" });
  expect(await plan(org)).toBe("pro by trial");
  const [{ subscription_id } = {}] = await t.sql(
    "SELECT subscription_id FROM organization_subscriptions WHERE organization_id = $1",
    [org.id],
  );
  expect(subscription_id).toBe(subscription.id);
});

test("each of the four event types makes the service query the subscription, whatever the event contains", async () => {
  for (const type of [
    "checkout.session.completed",
    "customer.subscription.created",
    UPDATED,
    "customer.subscription.deleted",
  ]) {
    const { org, customer } = await selling.withCustomer();
    payments.subscribe(customer, "price_enterprise");
    const lies = { status: "canceled", items: itemsAt("price_pro_month"), subscription: "sub_of_nobody" };
    expectStatus(await selling.tell(type, { customer, ...lies }), 200);
    expect([type, await plan(org)]).toEqual([type, "enterprise by subscription"]);
  }
});

test("the end of the billing period is read from the subscription item, or in older API versions from the subscription", async () => {
  for (const more of [
    { items: itemsAt("price_pro_month") },
    {
      current_period_end: PERIOD_END,
      items: { object: "list", data: [{ id: "si_1", price: { id: "price_pro_month" } }] },
    } as never,
  ]) {
    const { org, customer } = await selling.withCustomer();
    await selling.subscribe(customer, "", more);
    expect((await bought(org)).currentPeriodEnd).toBe(new Date(PERIOD_END * 1000).toISOString());
  }
});

test("a payment webhook is assigned to an organization by its customer, not by its metadata", async () => {
  const [{ org, customer }, { org: other }] = [await selling.withCustomer(), await selling.withCustomer()];
  const names = { metadata: { organizationId: other.id }, client_reference_id: other.id };
  const subscription = payments.subscribe(customer, "price_enterprise", names as never);
  for (const type of ["checkout.session.completed", "customer.subscription.created", UPDATED])
    expectStatus(await selling.tell(type, { ...subscription, ...names }), 200);
  expect(await plan(org)).toBe("enterprise by subscription");
  expect([await plan(other), await bought(other), await changes(other)]).toEqual(["pro by trial", null, []]);
});

test("a subscription affects only the organization of its customer", async () => {
  const [{ org, customer }, { org: other, customer: theirs }] = [
    await selling.withCustomer(),
    await selling.withCustomer(),
  ];
  await selling.subscribe(theirs, "price_enterprise");
  expectStatus(await selling.tell(UPDATED, { customer }), 200);
  expect([await plan(org), await plan(other)]).toEqual(["pro by trial", "enterprise by subscription"]);
});

test("a payment webhook of an unknown customer is accepted, and the provider is not called", async () => {
  const before = await selling.stored();
  const asked = selling.proxy.calls.length;
  expectStatus(await selling.tell(UPDATED, { customer: "cus_of_nobody" }), 200);
  expect(await selling.stored()).toEqual(before);
  expect(selling.proxy.calls).toHaveLength(asked);
});

test("of a customer's several subscriptions, the newest live one is used, else the newest ended one", async () => {
  const { org, customer } = await selling.withCustomer();
  const at = (created: number, status = "active") => ({ created, status });
  const old = payments.subscribe(customer, "price_pro_year", at(2_000));
  const young = payments.subscribe(customer, "price_enterprise", at(3_000, "trialing"));
  payments.subscribe(customer, "price_pro_month", at(1_000, "past_due"));
  payments.subscribe(customer, "price_pro_month", at(9_000, "incomplete"));
  const seen = async () => {
    expectStatus(await selling.tell(UPDATED, { customer }), 200);
    const { status, interval } = await bought(org);
    return [await plan(org), status, interval];
  };
  expect(await seen()).toEqual(["enterprise by subscription", "trialing", "year"]);
  young.status = "canceled";
  expect(await seen()).toEqual(["pro by subscription", "active", "year"]);
  old.status = "unpaid";
  expect(await seen()).toEqual(["pro by subscription", "past_due", "month"]);
});

test("a price that is not configured grants no plan, and a configured price is found among others", async () => {
  const { org, customer } = await selling.withCustomer();
  const subscription = await selling.subscribe(customer, "price_of_seats");
  expect(await plan(org)).toBe("pro by trial");
  expect(await bought(org)).toMatchObject({ status: "active", plan: null, interval: null });
  const [seats] = subscription.items.data;
  subscription.items.data = [seats, ...itemsAt("price_enterprise").data].flatMap((item) => item ?? []);
  expectStatus(await selling.tell(UPDATED, subscription), 200);
  expect(await plan(org)).toBe("enterprise by subscription");
});

test("a changed subscription writes an audit event with old and new values and no actor; an unchanged one writes none", async () => {
  const { org, customer } = await selling.withCustomer();
  expectStatus(await selling.tell("checkout.session.completed", { customer }), 200);
  expect(await changes(org)).toEqual([]);
  const subscription = await selling.subscribe(customer, "price_pro_month");
  expectStatus(await selling.tell("checkout.session.completed", { customer }), 200);
  expectStatus(await selling.tell(UPDATED, subscription), 200);
  const told = [{ from: null, to: MONTHLY }];
  expect(await changes(org)).toEqual(told);

  subscription.cancel_at_period_end = true;
  expectStatus(await selling.tell(UPDATED, subscription), 200);
  const ending = { ...MONTHLY, cancelAtPeriodEnd: true };
  subscription.status = "canceled";
  for (const type of ["customer.subscription.deleted", UPDATED])
    expectStatus(await selling.tell(type, subscription), 200);
  expect(await changes(org)).toEqual([
    ...told,
    { from: MONTHLY, to: ending },
    { from: ending, to: { ...ending, status: "canceled" } },
  ]);
  const events = await eventsOf(t, "SUBSCRIPTION_CHANGED", org.id);
  for (const event of events)
    expect(event).toMatchObject({ actor_id: null, target_type: "organization", organization_id: org.id });
  expect(JSON.stringify(events)).not.toMatch(/cus_|sub_|price_|sk_|whsec_/);
});

test("a payment webhook does not change the plan override and the trial", async () => {
  const { org, customer } = await selling.withCustomer();
  await setPlanOverride(platform, org, "gift");
  const { trialEndsAt } = (await org.admin.get("/api/organization/billing")).body;
  await selling.subscribe(customer, "price_enterprise");
  expect(await plan(org)).toBe("gift by override");
  await setPlanOverride(platform, org, null);
  expect(await plan(org)).toBe("enterprise by subscription");
  await storeSubscription(t, org, { status: "canceled" });
  expect((await org.admin.get("/api/organization/billing")).body.trialEndsAt).toBe(trialEndsAt);
  expect(await plan(org)).toBe("pro by trial");
});

test("a payment webhook during a provider outage is 503 and writes nothing; repeated later it takes effect", async () => {
  const { org, customer } = await selling.withCustomer();
  const event = payments.event(UPDATED, payments.subscribe(customer, "price_enterprise"));
  const before = await selling.stored();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    payments.failNext(10);
    expect(outcome(await deliver(t.anonymous(), event))).toBe("503 SERVICE_UNAVAILABLE");
  }
  expect(await selling.stored()).toEqual(before);
  payments.failNext(0);
  for (let repeat = 0; repeat < 2; repeat += 1) expectStatus(await deliver(t.anonymous(), event), 200);
  expect(await plan(org)).toBe("enterprise by subscription");
  expect(await changes(org)).toHaveLength(1);
});

test("payment webhooks for a deleted organization are accepted and write nothing", async () => {
  const { org, customer } = await selling.withCustomer();
  expectStatus(await platform.delete(`/api/organizations/${org.id}`), 204);
  const before = await selling.stored();
  await selling.subscribe(customer, "price_enterprise");
  expect(await selling.stored()).toEqual(before);
});

test("an organization that is deleted while the provider is queried gets no subscription", async () => {
  const { org, customer } = await selling.withCustomer();
  const subscription = payments.subscribe(customer, "price_enterprise");
  const asked = barrier();
  payments.beforeListing = asked.pass;
  const response = selling.tell(UPDATED, subscription);
  await asked.reached();
  expectStatus(await platform.delete(`/api/organizations/${org.id}`), 204);
  const before = await selling.stored();
  asked.open();
  expectStatus(await response, 200);
  expect(await selling.stored()).toEqual(before);
});

test("payment webhooks update a suspended organization's subscription like any other", async () => {
  const { org, customer } = await selling.withCustomer();
  const path = `/api/organizations/${org.id}/status`;
  expectStatus(await platform.patch(path, { status: "SUSPENDED" }), 200);
  await selling.subscribe(customer, "price_enterprise");
  expect(await plan(org)).toBe("enterprise by subscription");
});
