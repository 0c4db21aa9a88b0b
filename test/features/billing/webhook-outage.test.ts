import { afterEach, expect, test } from "bun:test";
import { type Api, startApi, startOwnPostgres } from "../../support/outage.ts";
import { outcome } from "../../support/outcomes.ts";
import { CHECKOUT, deliver, PRO, startProvider, WEBHOOK } from "../../support/payments.ts";
import { PAYMENT, PLANS, planFiles } from "../../support/plans.ts";
import { expectStatus } from "../../support/service.ts";

const planFile = planFiles();
const postgres = await startOwnPostgres();
const { payments, proxy } = startProvider(() => api.url + WEBHOOK);
const api: Api = await startApi(await postgres.database(), {
  BILLING_PLANS_FILE: planFile(PLANS),
  ...PAYMENT,
  PAYMENT_API_URL: proxy.url,
});
await api.untilReady();
afterEach(() => {
  payments.beforeListing = null;
});

/** Creates an organization that has started a checkout, and the provider's event of its purchase. */
async function paid() {
  const person = await api.person();
  const { id } = expectStatus(await person.post("/api/auth/organizations", { name: "Acme" }), 201).body;
  expectStatus(await person.post("/api/auth/organization", { organizationId: id }), 200);
  expectStatus(await person.post(CHECKOUT, PRO), 200);
  const [row] = await api.sql<{ customer_id: string }>(
    "SELECT customer_id FROM organization_subscriptions WHERE organization_id = $1",
    [id],
  );
  const subscription = payments.subscribe(row?.customer_id ?? "", "price_enterprise");
  const event = payments.event("customer.subscription.created", subscription);
  const told = () =>
    api.sql("SELECT id FROM audit_events WHERE organization_id = $1 AND action = 'SUBSCRIPTION_CHANGED'", [
      id,
    ]);
  const plan = async () => (await person.get("/api/organization/billing")).body.plan;
  return { person, event, plan, told, take: () => deliver(person, event).then(outcome) };
}

/** Sends the event twice; expects the plan of the subscription and exactly one audit event. */
async function expectTaken({ take, plan, told }: Awaited<ReturnType<typeof paid>>) {
  for (let repeat = 0; repeat < 2; repeat += 1) expect(await take()).toBe("200");
  expect(await plan()).toMatchObject({ key: "enterprise", source: "subscription" });
  expect(await told()).toHaveLength(1);
}

test("a payment webhook during a database outage is 503; repeated later it takes effect once", async () => {
  const sale = await paid();
  await postgres.stop("fast");
  expect(await sale.take()).toBe("503 SERVICE_UNAVAILABLE");
  await postgres.start();
  await api.untilReady();
  expect(await sale.told()).toEqual([]);
  expect(await sale.plan()).toMatchObject({ key: "pro", source: "trial" });
  await expectTaken(sale);
});

test("a payment webhook is 503 if the database fails while the provider is queried; repeated later it takes effect once", async () => {
  const sale = await paid();
  payments.beforeListing = () => postgres.stop("immediate");
  expect(await sale.take()).toBe("503 SERVICE_UNAVAILABLE");
  payments.beforeListing = null;
  await postgres.start();
  await api.untilReady();
  expect(await sale.told()).toEqual([]);
  await expectTaken(sale);
});

test("if the database fails while the provider creates the customer, nothing partial is stored; the next checkout works", async () => {
  const person = await api.person();
  const { id } = expectStatus(await person.post("/api/auth/organizations", { name: "Acme" }), 201).body;
  expectStatus(await person.post("/api/auth/organization", { organizationId: id }), 200);
  proxy.guard = async ({ name }) => {
    if (name === "POST customers") await postgres.stop("immediate");
    return null;
  };
  expect(outcome(await person.post(CHECKOUT, PRO))).toBe("503 SERVICE_UNAVAILABLE");
  proxy.guard = null;
  await postgres.start();
  await api.untilReady();
  const made = await api.sql(
    "SELECT FROM organization_subscriptions WHERE customer_id IS NOT NULL AND organization_id = $1",
    [id],
  );
  expect(made).toEqual([]);
  expectStatus(await person.post(CHECKOUT, PRO), 200);
});
