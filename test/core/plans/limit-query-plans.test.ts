import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { limitNames, planLimits } from "../../../src/core/definitions/plan-names.ts";
import { effectivePlan, effectivePlans } from "../../../src/core/plans/effective-plan.ts";
import { assertWithinLimit } from "../../../src/core/plans/limits.ts";
import { BIG_TABLES, limitStatements } from "../../support/limit-statements.ts";
import { createOrganization } from "../../support/organizations.ts";
import { planFiles } from "../../support/plans.ts";
import { recordStatements, scansOf } from "../../support/query-plans.ts";
import { startService } from "../../support/service.ts";

/*
 * Counts the statements that plans and limits send, and checks that an index serves each one.
 */

const planFile = planFiles();
const HIGH_LIMIT = 1_000_000;
const limits = Object.fromEntries(limitNames().map((limit) => [limit, HIGH_LIMIT]));
const t = await startService({
  BILLING_PLANS_FILE: planFile({
    plans: [
      { key: "limited", limits, features: [], paid: false },
      { key: "open", limits: {}, features: [], paid: false },
    ],
    defaultPlan: "limited",
    trial: null,
  }),
});
const connection = new SQL({ url: t.databaseUrl, max: 1 });
afterAll(() => connection.close());

let limited: string;
let open: string;

beforeAll(async () => {
  limited = (await createOrganization(t)).id;
  open = (await createOrganization(t)).id;
  await t.sql("INSERT INTO organization_subscriptions (organization_id, plan_override) VALUES ($1, 'open')", [
    open,
  ]);
});

const { app } = t.running;
const countOf = async (work: Parameters<typeof recordStatements>[1]) =>
  (await recordStatements(t, work)).length;

test("the plan of one organization, or the plans of a page of organizations, are read by one statement", async () => {
  expect(await countOf(({ db }) => effectivePlan(app, db, limited))).toBe(1);
  expect(await countOf(({ db }) => effectivePlans(app, db, [limited, open]))).toBe(1);
});

for (const limit of limitNames()) {
  test(`the usage of ${limit} is counted by one statement`, async () => {
    expect(await countOf(({ db }) => planLimits()[limit].count(db, limited))).toBe(1);
  });

  test(`checking the limit of ${limit} reads the plan; only if it is limited, it also takes the lock, reads the plan again and counts once`, async () => {
    const asked = await recordStatements(t, (tx) =>
      assertWithinLimit(tx, { organizationId: limited, limit }),
    );
    const plan = asked[0]?.text ?? "";
    expect(asked.map(({ text }) => (text === plan ? "plan" : /lock/.test(text) ? "lock" : "count"))).toEqual([
      "plan",
      "lock",
      "plan",
      "count",
    ]);
    const unlimited = await recordStatements(t, (tx) =>
      assertWithinLimit(tx, { organizationId: open, limit }),
    );
    expect(unlimited.map(({ text }) => text)).toEqual([plan]);
    const caller = { isPlatformAdmin: true } as never;
    expect(await countOf((tx) => assertWithinLimit(tx, { organizationId: limited, limit, caller }))).toBe(0);
  });
}

test("every lookup of plans, limits and payments in a growing table uses an index", async () => {
  // Without this setting PostgreSQL would scan small tables sequentially.
  await connection.unsafe("SET enable_seqscan = off");
  for (const mode of ["force_custom_plan", "force_generic_plan"]) {
    await connection.unsafe(`SET plan_cache_mode = ${mode}`);
    for (const statement of await limitStatements(t, limited, [limited, open])) {
      const scans = (await scansOf(connection, statement)).filter(({ table }) => BIG_TABLES.has(table));
      expect({ text: statement.text, unled: scans.filter(({ isLed }) => !isLed) }).toEqual({
        text: statement.text,
        unled: [],
      });
    }
  }
});
