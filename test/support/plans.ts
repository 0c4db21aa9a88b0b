import { afterAll } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Caller } from "./caller.ts";
import { expectStatus, type Service } from "./service.ts";

/** Returns a function that writes plan files for the duration of the test file; a string is written unchanged. */
export function planFiles(): (content: unknown) => string {
  const directory = mkdtempSync(join(tmpdir(), "plans-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  return (content) => {
    const path = join(directory, `${crypto.randomUUID()}.json`);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
}

/** Plans of every kind: free and paid, limited and unlimited, with and without features. */
export const PLANS = {
  plans: [
    { key: "free", limits: { members: 2, units: 2, todos: 3 }, features: [], paid: false },
    { key: "gift", limits: { units: 7, todos: null }, features: ["audit"], paid: false },
    { key: "pro", limits: { members: 9, units: 9, todos: 9 }, features: ["audit"], paid: true },
    { key: "enterprise", limits: {}, features: ["audit", "reports"], paid: true },
  ],
  defaultPlan: "free",
  trial: { plan: "pro", days: 14 },
};

export const PAYMENT = {
  PAYMENT_SECRET_KEY: "sk_of_tests",
  PAYMENT_WEBHOOK_SECRET: "whsec_of_tests",
  PAYMENT_PRICES: "pro:month:price_pro_month,pro:year:price_pro_year,enterprise:year:price_enterprise",
};

type StoredSubscription = {
  status?: string | null;
  price_id?: string | null;
  plan_override?: string | null;
  trial_ends_at?: Date | null;
  current_period_end?: Date | null;
  cancel_at_period_end?: boolean;
};

/**
 * Writes plan data of an organization, as the payment provider and administrators would; other columns are not
 * changed.
 */
export async function storeSubscription(
  t: Service,
  organization: { id: string },
  copy: StoredSubscription,
): Promise<void> {
  await t.sql(
    "INSERT INTO organization_subscriptions (organization_id) VALUES ($1) ON CONFLICT (organization_id) DO NOTHING",
    [organization.id],
  );
  for (const [column, value] of Object.entries(copy)) {
    const set = `UPDATE organization_subscriptions SET ${column} = $2 WHERE organization_id = $1`;
    await t.sql(set, [organization.id, value]);
  }
}

/** Returns an organization's plan and its source as text, such as `pro by trial`. */
export async function planOf(admin: Caller, organization: { id: string }): Promise<string | null> {
  const { plan } = expectStatus(await admin.get(`/api/organizations/${organization.id}`), 200).body;
  return plan === null ? null : `${plan.key} by ${plan.source}`;
}

/** Overrides the plan of an organization through the API. */
export async function setPlanOverride(
  admin: Caller,
  organization: { id: string },
  planOverride: string | null,
) {
  expectStatus(await admin.patch(`/api/organizations/${organization.id}/plan`, { planOverride }), 200);
}
