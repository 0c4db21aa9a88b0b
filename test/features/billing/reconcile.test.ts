import { afterEach, expect, test } from "bun:test";
import { eventsOf } from "../../support/events.ts";
import { holdOrganizationLock } from "../../support/locks.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { barrier, startProvider, startServiceWithPayments } from "../../support/payments.ts";
import { PAYMENT, planOf, storeSubscription } from "../../support/plans.ts";
import { expectStatus, type Service, startService } from "../../support/service.ts";

const selling = await startServiceWithPayments();
const { t, payments, proxy } = selling;
const platform = await t.platformAdmin();
afterEach(() => {
  payments.beforeListing = null;
  payments.failNext(0);
  proxy.guard = null;
});

const UPDATED = "customer.subscription.updated";
const LISTING = "GET subscriptions";

/** Queues the reconciliation job like its schedule, and runs all queued jobs. */
async function reconcile(service: Service = t) {
  await service.sql("INSERT INTO pgboss.job (name) VALUES ('billing.reconcile')");
  await service.drain();
}

const plan = (org: Organization) => planOf(platform, org);
const changes = ({ id }: Organization) => eventsOf(t, "SUBSCRIPTION_CHANGED", id);
const asked = () => selling.calls(LISTING).map(({ form }) => form.get("customer"));

test("reconciliation repairs a lost webhook: it copies the provider's subscription, with one audit event", async () => {
  const { org, customer } = await selling.withCustomer();
  const subscription = payments.subscribe(customer, "price_enterprise");
  expect(await plan(org)).toBe("pro by trial");
  await reconcile();
  await reconcile();
  expect(await plan(org)).toBe("enterprise by subscription");
  const active = { status: "active", plan: "enterprise", interval: "year", cancelAtPeriodEnd: false };
  expect(await changes(org)).toMatchObject([
    { actor_id: null, organization_id: org.id, metadata: { from: null, to: active } },
  ]);

  subscription.status = "canceled";
  await reconcile();
  expect(await plan(org)).toBe("pro by trial");
  expect((await changes(org)).map(({ metadata }) => metadata)).toContainEqual({
    from: active,
    to: { ...active, status: "canceled" },
  });
});

test("reconciliation updates the end of the period after a missed renewal, without an audit event", async () => {
  const { org, customer } = await selling.withCustomer();
  const { items } = await selling.subscribe(customer, "price_pro_month");
  Object.assign(items.data[0] ?? {}, { current_period_end: 1_900_000_000 });
  await reconcile();
  const { subscription } = (await org.admin.get("/api/organization/billing")).body;
  expect(subscription.currentPeriodEnd).toBe(new Date(1_900_000_000_000).toISOString());
  expect(await changes(org)).toHaveLength(1);
});

test("if the subscription has not changed, reconciliation queries the provider and writes nothing", async () => {
  const [{ customer }, { customer: other }] = [await selling.withCustomer(), await selling.withCustomer()];
  await selling.subscribe(customer, "price_pro_month");
  await reconcile();
  const [before, calls] = [await selling.stored(), asked().length];
  await reconcile();
  expect(await selling.stored()).toEqual(before);
  expect(asked().slice(calls)).toEqual(expect.arrayContaining([customer, other]));
});

test("while the provider is down, the stored subscription is kept, and the reconciliation job is retried", async () => {
  for (const [status, type] of [
    [503, "api_error"],
    [429, "rate_limit_error"],
    [401, "authentication_error"],
  ] as const) {
    const [{ org, customer }, { org: kept, customer: theirs }] = [
      await selling.withCustomer(),
      await selling.withCustomer(),
    ];
    await selling.subscribe(theirs, "price_enterprise");
    payments.subscribe(customer, "price_enterprise");
    const before = await selling.stored();
    proxy.guard = () => Response.json({ error: { type } }, { status });
    await expect(reconcile()).rejects.toThrow();
    expect(await selling.stored()).toEqual(before);
    expect([await plan(org), await plan(kept)]).toEqual(["pro by trial", "enterprise by subscription"]);

    proxy.guard = null;
    const dueNow = `UPDATE pgboss.job SET start_after = now()
      WHERE name = 'billing.reconcile' AND state = 'retry' RETURNING id`;
    expect(await t.sql(dueNow)).toHaveLength(1);
    await t.drain();
    expect(await plan(org)).toBe("enterprise by subscription");
    expect(await changes(org)).toHaveLength(1);
  }
});

test("an organization whose customer is unknown to the provider keeps its stored subscription, and does not block others", async () => {
  const all = [await selling.withCustomer(), await selling.withCustomer(), await selling.withCustomer()];
  // The unknown customer is reconciled first, because the job goes by customer id.
  all.sort((one, other) => (one.customer < other.customer ? -1 : 1));
  const [unknown, ...others] = all;
  await selling.subscribe(unknown?.customer ?? "", "price_enterprise");
  for (const { customer } of others) payments.subscribe(customer, "price_enterprise");
  proxy.guard = ({ form }) =>
    form.get("customer") === unknown?.customer
      ? Response.json({ error: { type: "invalid_request_error", code: "resource_missing" } }, { status: 404 })
      : null;
  await reconcile();
  for (const { org } of all) expect(await plan(org)).toBe("enterprise by subscription");
});

test("reconciliation checks each customer once, also more than fit into one batch, except those of deleted organizations", async () => {
  const { org, customer: deleted } = await selling.withCustomer();
  expectStatus(await platform.delete(`/api/organizations/${org.id}`), 204);
  await t.sql(
    `WITH made AS (
       INSERT INTO organizations (name, slug) SELECT 'Acme', 'many-' || n FROM generate_series(1, 110) n RETURNING id, slug)
     INSERT INTO organization_subscriptions (organization_id, customer_id) SELECT id, 'cus_' || slug FROM made`,
  );
  const calls = asked().length;
  await reconcile();
  const customers = asked().slice(calls);
  expect(customers.filter((customer) => customer?.startsWith("cus_many-"))).toHaveLength(110);
  expect(new Set(customers).size).toBe(customers.length);
  expect(customers).not.toContain(deleted);
  await t.sql("UPDATE organization_subscriptions SET customer_id = NULL WHERE customer_id LIKE 'cus_many-%'");
});

test("reconciliation discards a response of the provider if a webhook has updated the subscription meanwhile", async () => {
  const { org, customer } = await selling.withCustomer();
  await reconcile();
  const subscription = payments.subscribe(customer, "price_pro_month");
  const gate = barrier();
  const stale = structuredClone(payments.subscriptions);
  // Only this response is delayed; it contains the provider's current state.
  proxy.guard = async ({ name, form }) => {
    if (name !== LISTING || form.get("customer") !== customer) return null;
    proxy.guard = null;
    const data = stale.filter((one) => one.customer === customer);
    await gate.pass();
    return Response.json({ object: "list", url: "/v1/subscriptions", has_more: false, data });
  };
  const late = reconcile();
  await gate.reached();
  subscription.items.data = [{ ...subscription.items.data[0], price: { id: "price_enterprise" } }] as never;
  expectStatus(await selling.tell(UPDATED, subscription), 200);
  gate.open();
  await late;
  expect(await plan(org)).toBe("enterprise by subscription");
  expect((await changes(org)).map(({ metadata }) => metadata)).toMatchObject([
    { from: null, to: { plan: "enterprise" } },
  ]);
});

test("if a webhook and reconciliation find the same change concurrently, it is written once, under the organization's lock", async () => {
  for (const jobFirst of [true, false]) {
    const { org, customer } = await selling.withCustomer();
    await reconcile();
    const subscription = payments.subscribe(customer, "price_enterprise");
    const lock = await holdOrganizationLock(t, org.id);
    const starts = [() => reconcile(), () => selling.tell(UPDATED, subscription)];
    const first = starts[jobFirst ? 0 : 1]?.();
    await lock.waiting(1);
    const second = starts[jobFirst ? 1 : 0]?.();
    await lock.waiting(2);
    await lock.release();
    await Promise.all([first, second]);
    expect(await plan(org)).toBe("enterprise by subscription");
    expect(await changes(org)).toHaveLength(1);
  }
});

test("without payment settings or plans, reconciliation does not query the provider and writes nothing", async () => {
  const { proxy } = startProvider(() => "");
  const payment = { ...PAYMENT, PAYMENT_API_URL: proxy.url };
  for (const environment of [{}, { ...payment, BILLING_PLANS_FILE: "none", PAYMENT_PRICES: "" }]) {
    const service = await startService(environment);
    const org = await createOrganization(service);
    await storeSubscription(service, org, { status: "active", price_id: "price_pro_month" });
    await service.sql("UPDATE organization_subscriptions SET customer_id = 'cus_1'");
    const stored = () => service.sql("SELECT * FROM organization_subscriptions");
    const before = await stored();
    await reconcile(service);
    expect(await stored()).toEqual(before);
  }
  expect(proxy.calls).toEqual([]);
});

test("the reconciliation is scheduled once a day", async () => {
  expect(await t.sql("SELECT cron FROM pgboss.schedule WHERE name = 'billing.reconcile'")).toEqual([
    { cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) },
  ]);
});
