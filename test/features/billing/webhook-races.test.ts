import { afterEach, expect, test } from "bun:test";
import type { Subscription } from "../../../src/dev/payments.ts";
import { until } from "../../support/cluster.ts";
import { eventsOf } from "../../support/events.ts";
import { holdOrganizationLock } from "../../support/locks.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { barrier, CHECKOUT, deliver, PRO, startServiceWithPayments } from "../../support/payments.ts";
import { planOf } from "../../support/plans.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { expectStatus } from "../../support/service.ts";

/* Each test fails if src/features/billing/update-copy.ts does not count versions, or processes an event twice. */
const selling = await startServiceWithPayments();
const { t, payments } = selling;
const { url } = t;
const { url: otherUrl } = await t.beside();
const urls = [url, otherUrl];
const platform = await t.platformAdmin();
afterEach(() => {
  payments.beforeListing = null;
});

type Stage = "created" | "updated" | "deleted" | "completed";

/** The states of a subscription at the provider, in order. An event may arrive after later states. */
const STAGES: Record<Stage, { type: string; turn: (subscription: Subscription) => void; plan: string }> = {
  completed: { type: "checkout.session.completed", turn: () => {}, plan: "pro by trial" },
  created: {
    type: "customer.subscription.created",
    turn: (subscription) => Object.assign(subscription, { status: "active" }),
    plan: "pro by subscription",
  },
  updated: {
    type: "customer.subscription.updated",
    turn: ({ items }) => Object.assign(items.data[0] ?? {}, { price: { id: "price_enterprise" } }),
    plan: "enterprise by subscription",
  },
  deleted: {
    type: "customer.subscription.deleted",
    turn: (subscription) => Object.assign(subscription, { status: "canceled" }),
    plan: "pro by trial",
  },
};
const IN_ORDER = Object.keys(STAGES) as Stage[];

function orders<T>(all: T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((first) => orders(all.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}
const ORDERS = orders(IN_ORDER);

let begunSoFar = 0;
/** Starts a subscription; `reach` advances it at the provider at least to a given state. */
async function begun() {
  begunSoFar += 1;
  // Unique names: concurrent creations of organizations with one name wait for each other, because slugs are numbered.
  const org = await createOrganization(t, `Acme ${begunSoFar}`);
  const customer = await selling.customer(org);
  const subscription = payments.subscribe(customer, "price_pro_year", { status: "incomplete" });
  let reached = 0;
  const reach = (stage: Stage) => {
    for (; reached <= IN_ORDER.indexOf(stage); reached += 1)
      STAGES[IN_ORDER[reached] ?? "completed"].turn(subscription);
    return STAGES[IN_ORDER[reached - 1] ?? "completed"].plan;
  };
  /** Sends the event to both instances concurrently. */
  const tell = (stage: Stage) => {
    const event = payments.event(STAGES[stage].type, subscription);
    return Promise.all(urls.map((url) => deliver(t.anonymous(url), event)));
  };
  return { org, subscription, reach, tell };
}

/** Expects that the stored subscription equals the provider's. */
async function expectCopied({ id }: Organization, { status, items, id: subscriptionId }: Subscription) {
  const [copy] = await t.sql(
    "SELECT subscription_id, status, price_id FROM organization_subscriptions WHERE organization_id = $1",
    [id],
  );
  expect(copy).toEqual({ subscription_id: subscriptionId, status, price_id: items.data[0]?.price.id });
}

const statuses = (responses: { status: number }[]) => [...new Set(responses.map(({ status }) => status))];

test("in all 24 orders of four events, each sent twice concurrently, every event stores the provider's current state", async () => {
  expect(ORDERS).toHaveLength(24);
  await Promise.all(
    ORDERS.map(async (order) => {
      const { org, subscription, reach, tell } = await begun();
      for (const stage of order) {
        const plan = reach(stage);
        expect(statuses(await tell(stage))).toEqual([200]);
        await expectCopied(org, subscription);
        expect([order, stage, await planOf(platform, org)]).toEqual([order, stage, plan]);
      }
      expect(await planOf(platform, org)).toBe("pro by trial");
    }),
  );
});

test("in all 24 orders of four events, all sent twice while the provider changes, the last stored state is the provider's", async () => {
  for (const [index, order] of ORDERS.entries()) {
    const { org, subscription, reach, tell } = await begun();
    const responses = [];
    const gate: ReturnType<typeof barrier>[] = [];
    for (const stage of order) {
      reach(stage);
      // The provider's response for this state arrives after later states.
      const response = barrier();
      gate.push(response);
      payments.beforeListing = response.pass;
      responses.push(tell(stage));
      await response.reached(2);
    }
    payments.beforeListing = null;
    for (const response of index % 2 ? gate : gate.toReversed()) response.open();
    expect(statuses((await Promise.all(responses)).flat())).toEqual([200]);
    await expectCopied(org, subscription);
    expect([order, await planOf(platform, org)]).toEqual([order, "pro by trial"]);
  }
});

test("an outdated response of the provider never overwrites a newer one, for any event and instance", async () => {
  for (const [slow, fast] of [
    [url, otherUrl],
    [otherUrl, url],
    [url, url],
  ] as const) {
    const { org, subscription, reach } = await begun();
    reach("created");
    const gate = barrier();
    payments.beforeListing = gate.pass;
    const late = selling.tell("customer.subscription.created", subscription, { url: slow });
    await gate.reached();
    payments.beforeListing = null;
    reach("updated");
    expectStatus(await selling.tell("customer.subscription.updated", subscription, { url: fast }), 200);
    await expectCopied(org, subscription);
    gate.open();
    expectStatus(await late, 200);
    await expectCopied(org, subscription);
    expect(await planOf(platform, org)).toBe("enterprise by subscription");
  }
});

test("an outdated response of the provider for the same event does not overwrite a newer one", async () => {
  const { org, subscription, reach } = await begun();
  reach("created");
  const event = payments.event("customer.subscription.updated", subscription);
  const gate = barrier();
  payments.beforeListing = gate.pass;
  const late = deliver(t.anonymous(url), event);
  await gate.reached();
  payments.beforeListing = null;
  reach("deleted");
  expectStatus(await deliver(t.anonymous(otherUrl), event), 200);
  gate.open();
  expectStatus(await late, 200);
  await expectCopied(org, subscription);
});

test("an ended subscription stays ended if earlier events arrive later", async () => {
  const { org, subscription, reach, tell } = await begun();
  const early = payments.event("customer.subscription.updated", structuredClone(subscription));
  reach("deleted");
  await tell("deleted");
  for (const url of urls) expectStatus(await deliver(t.anonymous(url), early), 200);
  expect(statuses((await Promise.all([tell("created"), tell("updated")])).flat())).toEqual([200]);
  await expectCopied(org, subscription);
  expect(await planOf(platform, org)).toBe("pro by trial");
});

test("a payment webhook that is sent 20 times concurrently to two instances takes effect once", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const { org, subscription, reach } = await begun();
    reach("created");
    const id = `evt_${crypto.randomUUID()}`;
    const event = payments.event("customer.subscription.created", subscription, { id });
    const responses = await race(20, (index) => deliver(t.anonymous(urls[index % 2]), event));
    expect(statuses(responses)).toEqual([200]);
    expect(await t.sql("SELECT id FROM payment_events WHERE id = $1", [id])).toEqual([{ id }]);
    expect(await eventsOf(t, "SUBSCRIPTION_CHANGED", org.id)).toHaveLength(1);
    const version = "SELECT version FROM organization_subscriptions WHERE organization_id = $1";
    expect(await t.sql(version, [org.id])).toEqual([{ version: 1 }]);
    await expectCopied(org, subscription);
  }
});

test("a slow provider blocks no request: no lock is gate while it is called", async () => {
  const { org, subscription } = await begun();
  const gate = barrier();
  payments.beforeListing = gate.pass;
  const events = race(30, () => selling.tell("customer.subscription.updated", subscription));
  await gate.reached(30);
  const locks = `SELECT mode FROM pg_locks WHERE locktype = 'advisory'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const open = `SELECT query FROM pg_stat_activity
    WHERE datname = current_database() AND xact_start IS NOT NULL AND application_name LIKE 'api%'`;
  // Background jobs hold locks for a moment; the 30 requests would hold theirs until the provider responds.
  const isHeld = async () => (await t.sql(locks)).length + (await t.sql(open)).length > 0;
  await until(async () => ((await isHeld()) ? null : true), { seconds: 5 });
  expectStatus(await org.admin.post("/api/units", { name: "Unit", parentId: null }), 201);
  payments.beforeListing = null;
  gate.open();
  // Some of the 30 concurrent events may be 500, so that the provider repeats them.
  expect(statuses(await events).every((status) => status === 200 || status === 500)).toBe(true);
  expectStatus(await selling.tell("customer.subscription.updated", subscription), 200);
  await expectCopied(org, subscription);
});

test("an organization is not deleted if its subscription begins during the deletion", async () => {
  const { org, subscription, reach } = await begun();
  reach("created");
  const lock = await holdOrganizationLock(t, org.id);
  const event = selling.tell("customer.subscription.created", subscription, { url });
  await lock.waiting(1);
  const deletion = platform.delete(`/api/organizations/${org.id}`);
  await lock.waiting(2);
  await lock.release();
  expectStatus(await event, 200);
  expect(outcome(await deletion)).toBe("409 CONFLICT");
});

test("a checkout is refused if a subscription begins while it waits for the lock", async () => {
  const { org, subscription, reach } = await begun();
  reach("created");
  const lock = await holdOrganizationLock(t, org.id);
  const event = selling.tell("customer.subscription.created", subscription);
  await lock.waiting(1);
  const checkout = org.admin.post(CHECKOUT, PRO);
  await lock.waiting(2);
  await lock.release();
  expectStatus(await event, 200);
  expect(outcome(await checkout)).toBe("409 CONFLICT");
});
