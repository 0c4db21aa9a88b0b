import { expect, test } from "bun:test";
import { createOrganization } from "../../support/organizations.ts";
import { deliver, startServiceWithPayments, WEBHOOK } from "../../support/payments.ts";

const selling = await startServiceWithPayments({ METRICS_PORT: "0" });
const { t, payments } = selling;

/** Runs `work`; returns the webhook results that the metrics counted meanwhile. */
async function outcomesOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = await counts();
  await work();
  return [...(await counts())]
    .filter(([outcome, count]) => count > (before.get(outcome) ?? 0))
    .map(([outcome]) => outcome);
}

async function counts(): Promise<Map<string, number>> {
  const text = await (await fetch(t.running.metricsUrl ?? "")).text();
  const lines = text.matchAll(/^webhook_events_total\{outcome="(\w+)"\} (\d+)$/gm);
  return new Map([...lines].map(([, outcome = "", count]) => [outcome, Number(count)]));
}

test("the metrics count payment webhooks by their result", async () => {
  const customer = await selling.customer(await createOrganization(t));
  const subscription = payments.subscribe(customer, "price_pro_month");
  const tell = (id: string) => selling.tell("customer.subscription.updated", subscription, { id });
  expect(await outcomesOf(() => tell("evt_once"))).toEqual(["applied"]);
  expect(await outcomesOf(() => tell("evt_once"))).toEqual(["repeated"]);
  const unknown = payments.event("customer.subscription.updated", { customer: "cus_unknown" });
  expect(await outcomesOf(() => deliver(t.anonymous(), unknown))).toEqual(["ignored"]);
  expect(await outcomesOf(() => deliver(t.anonymous(), { ...unknown, signature: "t=1,v1=00" }))).toEqual([
    "refused",
  ]);
  expect(await outcomesOf(() => t.anonymous().post(WEBHOOK, {}))).toEqual(["refused"]);
  payments.failNext(100);
  expect(await outcomesOf(() => tell("evt_failing"))).toEqual(["failed"]);
  payments.failNext(0);
});
