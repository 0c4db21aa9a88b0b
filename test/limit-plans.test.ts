import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { effectivePlan, effectivePlans } from "../src/billing/effective-plan.ts";
import { refuseOverLimit } from "../src/billing/limits.ts";
import { counters, type LimitName } from "../src/billing/usage.ts";
import { callOfJob } from "../src/context.ts";
import type { Queryable } from "../src/db/prepared-query.ts";
import { type Tx, transaction } from "../src/db/transaction.ts";
import { BIG, EMPTY, NEIGHBOURS, seed, seedOne, settle } from "./bench/seed.ts";
import { planFiles } from "./support/plans.ts";
import { startService } from "./support/service.ts";

/*
 * What plans and their limits cost does not grow with the service: 110,000 members with a todo each, 50,000 of them of
 * one organization, the others of 200, beside 10,000 empty organizations, all of which have bought a plan.
 */

const planFile = planFiles();
const MOST = 1_000_000;
const limits = { members: MOST, units: MOST, todos: MOST };
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

const BIG_TABLES = new Set([
  "organizations",
  "organization_subscriptions",
  "memberships",
  "units",
  "todos",
  "user_invitations",
  "users",
  "payment_events",
  "audit_events",
]);

/** Enough for the server to choose between a plan for the values and one for every use. */
const USES = 7;
const LIMITS = Object.keys(counters) as LimitName[];

let big: string;
let open: string;
let neighbours: string[];

beforeAll(async () => {
  big = (await seedOne(t, BIG)).id;
  neighbours = (await seed(t, { ...NEIGHBOURS, members: 300 })).map(({ id }) => id);
  open = neighbours[0] ?? "";
  await seed(t, EMPTY);
  await t.sql(
    `INSERT INTO organization_subscriptions (organization_id, plan_override, customer_id, subscription_id, status)
     SELECT id, CASE id WHEN $1::uuid THEN 'open' END, 'cus_' || id, 'sub_' || id, 'active' FROM organizations`,
    [open],
  );
  await t.sql(
    `INSERT INTO todos (organization_id, user_id, title)
     SELECT organization_id, user_id, 'Todo' FROM memberships WHERE NOT is_deleted`,
  );
  // By a few administrators each: 2,000 pending in the big organization, 30 in every small one.
  await t.sql(
    `INSERT INTO user_invitations (organization_id, email, language, token_hash, expires_at, last_sent_at, invited_by_id)
     SELECT o.id, 'invited-' || n || '@example.com', 'EN', 'hash-' || o.id || n, now() + interval '7 days', now(),
       inviters.ids[1 + n % 3]
     FROM organizations o
       JOIN (SELECT organization_id, (array_agg(user_id))[1:3] AS ids FROM memberships WHERE NOT is_deleted
             GROUP BY organization_id) inviters ON inviters.organization_id = o.id,
       generate_series(1, 2000) n
     WHERE o.id = $1 OR n <= 30`,
    [big],
  );
  await t.sql("INSERT INTO payment_events (id) SELECT 'evt_' || n FROM generate_series(1, 100000) n");
  await settle(t);
}, 180_000);

type Asked = { text: string; values: unknown[] };

/** What is asked of the database by some work. */
async function askedBy(work: (tx: Tx) => Promise<unknown>): Promise<Asked[]> {
  const asked: Asked[] = [];
  await transaction(callOfJob(t.running.app), (tx) => {
    const db = Object.create(tx.db, {
      query: {
        value: (text: string, values: unknown[]) => {
          asked.push({ text, values });
          return tx.db.query(text, values);
        },
      },
    }) as typeof tx.db & Queryable;
    return work({ ...tx, db });
  });
  return asked;
}

type Plan = { "Node Type": string; "Relation Name"?: string; Plans?: Plan[] };

/** The big tables that a statement reads from end to end at any of several uses, and how it reads all others. */
async function reads({ text, values }: Asked): Promise<{ bad: string[]; how: string[] }> {
  await connection.unsafe(`PREPARE asked AS ${text}`);
  const [bad, how] = [new Set<string>(), new Set<string>()];
  for (let use = 0; use < USES; use += 1) {
    const [row] = await connection.unsafe(
      `EXPLAIN (FORMAT JSON) EXECUTE asked (${values.map(literal).join()})`,
    );
    const answer = row["QUERY PLAN"];
    for (const [type, table] of scansOf((typeof answer === "string" ? JSON.parse(answer) : answer)[0].Plan)) {
      how.add(`${type} on ${table}`);
      if (type === "Seq Scan" && BIG_TABLES.has(table)) bad.add(table);
    }
  }
  await connection.unsafe("DEALLOCATE asked");
  return { bad: [...bad], how: [...how] };
}

function scansOf(plan: Plan): [string, string][] {
  const { "Node Type": type, "Relation Name": table } = plan;
  const below = (plan.Plans ?? []).flatMap(scansOf);
  return table === undefined ? below : [[type, table], ...below];
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (Array.isArray(value)) return `'{${value.map((one) => JSON.stringify(one)).join(",")}}'`;
  return `'${String(value).replaceAll("'", "''")}'`;
}

async function expectIndexed(asked: Asked[]) {
  for (const statement of asked) {
    const { bad, how } = await reads(statement);
    expect({ text: statement.text, bad, how }).toEqual({ text: statement.text, bad: [], how });
  }
}

test("the plan of an organization is one indexed statement, and those of a page of them are one", async () => {
  const { app } = t.running;
  const page = neighbours.slice(0, 100);
  const one = await askedBy(({ db }) => effectivePlan(app, db, big));
  const many = await askedBy(({ db }) => effectivePlans(app, db, page));
  expect([one.length, many.length]).toEqual([1, 1]);
  await expectIndexed([...one, ...many]);
});

for (const limit of LIMITS)
  test(`what is used of ${limit} is counted by one indexed statement, in a big organization and in a small one`, async () => {
    for (const organizationId of [big, neighbours[1] ?? ""]) {
      const asked = await askedBy(({ db }) => counters[limit](db, organizationId));
      expect(asked).toHaveLength(1);
      await expectIndexed(asked);
    }
  });

for (const limit of LIMITS)
  test(`the check of ${limit} asks for the plan, and only where that limits it for the lock, the plan again and one count`, async () => {
    const limited = await askedBy((tx) => refuseOverLimit(tx, { organizationId: big, limit }));
    const plan = limited[0]?.text ?? "";
    expect(
      limited.map(({ text }) => (text === plan ? "plan" : /lock/.test(text) ? "lock" : "count")),
    ).toEqual(["plan", "lock", "plan", "count"]);
    await expectIndexed(limited);
    const unlimited = await askedBy((tx) => refuseOverLimit(tx, { organizationId: open, limit }));
    expect(unlimited.map(({ text }) => text)).toEqual([plan]);
    const caller = { isPlatformAdmin: true } as never;
    expect(await askedBy((tx) => refuseOverLimit(tx, { organizationId: big, limit, caller }))).toEqual([]);
  });

test("what the webhook and a checkout ask about a customer is indexed", async () => {
  const { findCustomer, findOrganizationCustomer, lockSubscriptionCopy, insertPaymentEvent } = await import(
    "#sql/billing"
  );
  const organizationId = big;
  const asked = await askedBy(async ({ db }) => {
    expect(await findCustomer.run({ customerId: `cus_${big}` }, db)).toEqual([
      { organizationId, version: 0 },
    ]);
    await findOrganizationCustomer.run({ organizationId }, db);
    await lockSubscriptionCopy.run({ organizationId }, db);
    expect(await insertPaymentEvent.run({ id: "evt_1" }, db)).toEqual([]);
  });
  await expectIndexed(asked);
});
