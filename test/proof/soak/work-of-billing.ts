import { createHash } from "node:crypto";
import type { Subscription } from "../../../src/dev/payments.ts";
import type { Random } from "../../support/image-mutations.ts";
import { alone, being, pick, type Weighted, type Workplace } from "./workplace.ts";

const LIVE = new Set(["active", "trialing", "past_due"]);
const STATUSES = ["active", "past_due", "canceled", "unpaid"];
/** As a provider does, which goes on for days. */
const TRIES = 60;
const BETWEEN_MS = 500;

/** What customers do at the payment provider, and what it then tells of: every event again until it was taken, some twice. */
export const OF_BILLING: Weighted = [
  [
    6,
    async (w, random, text) => {
      const customer = being(w, random, "ORG_ADMIN").organization?.customer ?? "";
      await alone(w, customer, async () => {
        change(w, random, customer);
        const id = `evt_${createHash("sha256").update(text).digest("hex").slice(0, 20)}`;
        if (!(await deliver(w, random, { customer, id }))) return;
        w.found.push(...(await copyViolations(w, [customer])));
      });
    },
  ],
];

/** Of a customer only the newest subscription that lives counts. */
function change({ payments }: Workplace, random: Random, customer: string) {
  const own = payments.subscriptions.filter((one) => one.customer === customer);
  const latest = own.at(-1);
  if (latest === undefined || random(4) === 0) {
    const created = (latest?.created ?? 1_700_000_000) + 60;
    const price = pick(random, ["price_pro_month", "price_pro_year", "price_enterprise"]) ?? "";
    payments.subscribe(customer, price, { created });
  } else if (random(3) === 0) latest.cancel_at_period_end = !latest.cancel_at_period_end;
  else latest.status = pick(random, STATUSES) ?? "";
}

async function deliver(w: Workplace, random: Random, { customer, id }: { customer: string; id: string }) {
  const teller = being(w, random, "MEMBER");
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { body, signature } = w.payments.event("customer.subscription.updated", { customer }, { id });
    const tell = () =>
      w.client.send(
        teller,
        random(1_000),
        {
          method: "POST",
          path: "/api/billing/webhook",
          raw: body,
          headers: { "stripe-signature": signature },
        },
        [200],
      );
    const answers = await Promise.all(random(3) === 0 ? [tell(), tell()] : [tell()]);
    if (answers.some(({ status }) => status === 200)) return true;
    await Bun.sleep(BETWEEN_MS);
  }
  return false;
}

/** Copies that differ from what the provider has. */
export async function copyViolations(w: Workplace, customers: string[]): Promise<string[]> {
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
