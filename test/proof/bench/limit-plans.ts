import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { BIG_TABLES, limitStatements } from "../../support/limit-statements.ts";
import { scansOf } from "../../support/query-plans.ts";
import { type Service, startService } from "../../support/service.ts";
import { BIG, EMPTY, OTHER_ORGANIZATIONS, seed, seedOne, settle } from "./seed.ts";

/** How often each statement runs: often enough for the server to choose between a custom and a generic plan. */
const USES = 7;
const HIGH_LIMIT = 1_000_000;

/**
 * Checks the query plans of the counts that plan limits need: no table that grows may be read sequentially. The
 * service has 110,000 members with a todo each: 50,000 in one organization and the others in 200. It also has
 * 10,000 empty organizations. All organizations have a subscription.
 */
export async function reportLimitPlans(): Promise<void> {
  const path = join(tmpdir(), `limit-plans-${crypto.randomUUID()}.json`);
  const plans = [
    {
      key: "limited",
      limits: { members: HIGH_LIMIT, units: HIGH_LIMIT, todos: HIGH_LIMIT },
      features: [],
      paid: false,
    },
  ];
  await Bun.write(path, JSON.stringify({ plans, defaultPlan: "limited", trial: null }));
  const t = await startService({ BILLING_PLANS_FILE: path }, { keep: true });
  const { id: big } = await seedOne(t, BIG);
  const neighbours = (await seed(t, { ...OTHER_ORGANIZATIONS, members: 300 })).map(({ id }) => id);
  await seed(t, EMPTY);
  await settle(t);
  await seedPayments(t, big);
  await settle(t);
  const connection = new SQL({ url: t.databaseUrl, max: 1 });
  for (const organizationId of [big, neighbours[1] ?? ""]) {
    const name = organizationId === big ? "50,000 members" : "300 members";
    for (const statement of await limitStatements(t, organizationId, neighbours.slice(0, 100))) {
      const scans = (await scansOf(connection, statement, USES)).filter(({ table }) => BIG_TABLES.has(table));
      const whole = new Set(scans.flatMap(({ type, table }) => (type === "Seq Scan" ? [table] : [])));
      const verdict = whole.size === 0 ? "indexed" : `READS ALL OF ${[...whole].join(", ")}`;
      console.log(
        `limit plans, ${name}: ${statement.text.replace(/\s+/g, " ").slice(0, 60).padEnd(60)} ${verdict}`,
      );
    }
  }
  await connection.close();
  await t.stop();
}

/**
 * Inserts subscriptions, todos and pending invitations by a few administrators: 2,000 in the big organization, 30 in
 * each small one.
 */
async function seedPayments(t: Service, big: string): Promise<void> {
  await t.sql(
    `INSERT INTO organization_subscriptions (organization_id, customer_id, subscription_id, status)
     SELECT id, 'cus_' || id, 'sub_' || id, 'active' FROM organizations`,
  );
  await t.sql(
    `INSERT INTO todos (organization_id, user_id, title)
     SELECT organization_id, user_id, 'Todo' FROM memberships WHERE NOT is_deleted`,
  );
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
}
