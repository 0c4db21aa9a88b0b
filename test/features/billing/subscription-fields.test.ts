import { expect, test } from "bun:test";
import type { Subscription } from "../../../src/dev/payments.ts";
import { createOrganization } from "../../support/organizations.ts";
import { startServiceWithPayments } from "../../support/payments.ts";
import { planFiles, planOf } from "../../support/plans.ts";
import { expectStatus } from "../../support/service.ts";

const planFile = planFiles();
const selling = await startServiceWithPayments();
const { t, payments } = selling;
const platform = await t.platformAdmin();

const item = (price: string, end: number) => ({
  id: `si_${price}`,
  price: { id: price },
  current_period_end: end,
});
const items = (...data: Subscription["items"]["data"]) => ({ items: { object: "list" as const, data } });

const [BEFORE, END, AFTER, OTHER_END] = [1_890_000_000, 1_900_000_000, 1_910_000_000, 1_880_000_000];
const MONTHLY = items(item("price_pro_month", END));
const SEATS = item("price_of_seats", OTHER_END);
const pause = (
  behavior: "void" | "keep_as_draft" | "mark_uncollectible",
  resumes_at: number | null = null,
) => ({
  pause_collection: { behavior, resumes_at },
});

type Row = [
  what: string,
  given: Partial<Subscription>,
  shown: { status?: string; end?: number | null; ends?: boolean; plan?: string | null },
];
/** What differs from an active subscription to `pro`, whose period ends at END and which renews. */
const ROWS: Row[] = [
  ["active", {}, {}],
  ["ends with its period, in classic billing mode", { cancel_at_period_end: true }, { ends: true }],
  ["ends with its period, in flexible billing mode", { cancel_at: END }, { ends: true }],
  ["ends before its period", { cancel_at: BEFORE }, { ends: true, end: BEFORE }],
  ["ends in a later period", { cancel_at: AFTER }, { ends: true }],
  ["ends by both fields", { cancel_at: BEFORE, cancel_at_period_end: true }, { ends: true, end: BEFORE }],
  ["on trial", { status: "trialing" }, { status: "trialing" }],
  ["on trial, and ends with it", { status: "trialing", cancel_at: END }, { status: "trialing", ends: true }],
  ["overdue", { status: "past_due" }, { status: "past_due" }],
  [
    "overdue, and ends",
    { status: "past_due", cancel_at: BEFORE },
    { status: "past_due", ends: true, end: BEFORE },
  ],
  ["payments are voided", pause("void"), { status: "paused", plan: null }],
  ["payments are postponed", pause("keep_as_draft", AFTER), { status: "paused", plan: null }],
  ["payments are waived", pause("mark_uncollectible", BEFORE), { status: "paused", plan: null }],
  [
    "on trial, payments are paused",
    { status: "trialing", ...pause("void") },
    { status: "paused", plan: null },
  ],
  [
    "overdue, payments are paused",
    { status: "past_due", ...pause("void") },
    { status: "paused", plan: null },
  ],
  ["unpaid, payments are paused", { status: "unpaid", ...pause("void") }, { status: "paused", plan: null }],
  [
    "payments are paused, and it ends",
    { cancel_at: BEFORE, ...pause("void") },
    { status: "paused", plan: null, ends: true, end: BEFORE },
  ],
  ["paused", { status: "paused" }, { status: "paused", plan: null }],
  ["unpaid", { status: "unpaid" }, { status: "unpaid", plan: null }],
  ["incomplete", { status: "incomplete" }, { status: "incomplete", plan: null }],
  [
    "canceled, payments were paused",
    { status: "canceled", ...pause("void") },
    { status: "canceled", plan: null },
  ],
  [
    "never paid, payments were paused",
    { status: "incomplete_expired", ...pause("void") },
    { status: "incomplete_expired", plan: null },
  ],
  [
    "ended by itself",
    { status: "canceled", cancel_at: BEFORE },
    { status: "canceled", plan: null, ends: true, end: BEFORE },
  ],
  ["the plan is the second item", items(SEATS, item("price_pro_month", END)), {}],
  [
    "the plan is the second item, and it ends before its period",
    { cancel_at: BEFORE, ...items(SEATS, item("price_pro_month", END)) },
    { ends: true, end: BEFORE },
  ],
  [
    "the plan is the second item, the first ends earlier",
    { cancel_at: END, ...items(SEATS, item("price_pro_month", END)) },
    { ends: true },
  ],
  [
    "the plan is the last of twenty items",
    items(...Array<typeof SEATS>(19).fill(SEATS), item("price_pro_month", END)),
    {},
  ],
  ["no item has a plan", items(SEATS, item("price_of_support", AFTER)), { plan: null, end: OTHER_END }],
  ["without items", { cancel_at: BEFORE, ...items() }, { plan: null, ends: true, end: BEFORE }],
];

test.each(ROWS)(
  "subscription: %s (rules 19.18)",
  async (_, given, { status = "active", end = END, ends = false, plan = "pro" }) => {
    const org = await createOrganization(t);
    await selling.subscribe(await selling.customer(org), "", { ...MONTHLY, ...given });
    const { subscription } = expectStatus(await org.admin.get("/api/organization/billing"), 200).body;
    expect(subscription).toMatchObject({
      status,
      currentPeriodEnd: end === null ? null : new Date(end * 1000).toISOString(),
      cancelAtPeriodEnd: ends,
    });
    expect(await planOf(platform, org)).toBe(plan === null ? "pro by trial" : "pro by subscription");
  },
);

test("a subscription whose payments are paused does not hide another live one, and gives its plan again when resumed", async () => {
  const org = await createOrganization(t);
  const customer = await selling.customer(org);
  payments.subscribe(customer, "price_enterprise", { created: 1_000 });
  const newer = await selling.subscribe(customer, "price_pro_month", { created: 2_000, ...pause("void") });
  expect(await planOf(platform, org)).toBe("enterprise by subscription");
  newer.pause_collection = null;
  expectStatus(await selling.tell("customer.subscription.updated", newer), 200);
  expect(await planOf(platform, org)).toBe("pro by subscription");
});

test("a subscription that is paused and resumed as a whole follows the provider's own events of it", async () => {
  const org = await createOrganization(t);
  const subscription = await selling.subscribe(await selling.customer(org), "price_enterprise");
  for (const [status, type, plan] of [
    ["paused", "paused", "pro by trial"],
    ["active", "resumed", "enterprise by subscription"],
  ] as const) {
    subscription.status = status;
    expectStatus(await selling.tell(`customer.subscription.${type}`, subscription), 200);
    expect(await planOf(platform, org)).toBe(plan);
  }
});

/** Amounts of ten units of each currency: as Stripe counts them, and in the smallest unit of ISO 4217. */
const AMOUNTS: [currency: string, sent: number | null, shown: number | null][] = [
  ["eur", 1_000, 1_000],
  ["usd", 1_000, 1_000],
  ["huf", 1_000, 1_000],
  ["twd", 1_000, 1_000],
  ["jpy", 10, 10],
  ["krw", 10, 10],
  ["clp", 10, 10],
  ["xof", 10, 10],
  ["isk", 1_000, 10],
  ["ugx", 1_000, 10],
  ["mga", 10, 1_000],
  ["kwd", 10_000, 10_000],
  ["tnd", 10_000, 10_000],
  ["isk", null, null],
];

test("prices count in the currency's own smallest unit, whatever unit the provider counts in (rules 31.10)", async () => {
  const priced = AMOUNTS.map(([currency, sent, shown], index) => ({
    key: `plan${index}`,
    currency,
    sent,
    shown,
  }));
  const free = { key: "free", limits: {}, features: [], paid: false };
  const plans = [free, ...priced.map(({ key }) => ({ ...free, key, paid: true }))];
  const { t, payments } = await startServiceWithPayments({
    BILLING_PLANS_FILE: planFile({ plans, defaultPlan: "free", trial: null }),
    PAYMENT_PRICES: priced.map(({ key }) => `${key}:month:price_${key}`).join(),
  });
  for (const { key, currency, sent } of priced)
    payments.prices.set(`price_${key}`, { currency, unit_amount: sent });
  const { admin } = await createOrganization(t);
  const { body } = expectStatus(await admin.get("/api/organization/billing"), 200);
  const prices = body.plans.map((plan: { prices: object[] }) => plan.prices[0]);
  expect(prices).toMatchObject(priced.map(({ currency, shown }) => ({ currency, amount: shown })));
  for (const { currency, shown } of priced.filter(({ shown }) => shown !== null)) {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    expect([currency, shown]).toEqual([
      currency,
      10 ** ((format.resolvedOptions().maximumFractionDigits ?? 2) + 1),
    ]);
  }
});
