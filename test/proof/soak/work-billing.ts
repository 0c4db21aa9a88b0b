import { createHash } from "node:crypto";
import type { Subscription } from "../../../src/dev/payments.ts";
import type { Random } from "../../support/image-mutations.ts";
import { exclusively, pick, pickPerson, type Weighted, type WorkContext } from "./work-context.ts";

const LIVE = new Set(["active", "trialing", "past_due"]);
const STATUSES = ["active", "past_due", "canceled", "unpaid"];
/** The maximum number of attempts to deliver an event. The real provider repeats an event for days. */
const MAX_ATTEMPTS = 60;
const BETWEEN_MS = 500;

/**
 * Work on billing: changes of subscriptions at the payment provider, and their events. Each event is repeated until
 * it is accepted; some are sent twice.
 */
export const BILLING_WORK: Weighted = [
  [
    6,
    async (w, random, text) => {
      const { customer } = pickPerson(w, random, "ORG_ADMIN").world;
      await exclusively(w, customer, async () => {
        change(w, random, customer);
        const id = `evt_${createHash("sha256").update(text).digest("hex").slice(0, 20)}`;
        if (!(await deliver(w, random, { customer, id }))) return;
        w.violations.push(...(await copyViolations(w, [customer])));
      });
    },
  ],
];

/** Changes the newest subscription of a customer, or adds one. The service copies only the newest live one. */
function change({ payments }: WorkContext, random: Random, customer: string) {
  const own = payments.subscriptions.filter((one) => one.customer === customer);
  const latest = own.at(-1);
  if (latest === undefined || random(4) === 0) {
    const created = (latest?.created ?? 1_700_000_000) + 60;
    const price = pick(random, ["price_pro_month", "price_pro_year", "price_enterprise"]) ?? "";
    payments.subscribe(customer, price, { created });
  } else if (random(3) === 0) latest.cancel_at_period_end = !latest.cancel_at_period_end;
  else latest.status = pick(random, STATUSES) ?? "";
}

async function deliver(w: WorkContext, random: Random, { customer, id }: { customer: string; id: string }) {
  const sender = pickPerson(w, random, "MEMBER");
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { body, signature } = w.payments.event("customer.subscription.updated", { customer }, { id });
    const request = { method: "POST", path: "/api/billing/webhook", raw: body };
    const signed = { ...request, headers: { "stripe-signature": signature } };
    const send = () => w.client.send(sender, random(1_000), signed, [200]);
    const responses = await Promise.all(random(3) === 0 ? [send(), send()] : [send()]);
    if (responses.some(({ status }) => status === 200)) return true;
    await Bun.sleep(BETWEEN_MS);
  }
  return false;
}

/** Finds stored copies of subscriptions that differ from the provider's. */
export async function copyViolations(w: WorkContext, customers: string[]): Promise<string[]> {
  const rows =
    await w.sql(`SELECT customer_id AS customer, subscription_id AS id, status, cancel_at_period_end AS ends
    FROM organization_subscriptions WHERE customer_id IN (${customers.map((one) => `'${one}'`).join()})`);
  return rows.flatMap(({ customer, id, status, ends }) => {
    const wanted = newest(w.payments.subscriptions.filter((one) => one.customer === customer));
    const has = [id, status, ends].join(" ");
    const should = [wanted?.id, wanted?.status, wanted?.cancel_at_period_end ?? false].join(" ");
    return has === should ? [] : `the copy of ${customer} is ${has}, the provider's ${should}`;
  });
}

function newest(all: Subscription[]): Subscription | undefined {
  const byAge = all.toSorted((one, other) => other.created - one.created);
  return byAge.find(({ status }) => LIVE.has(status)) ?? byAge[0];
}
