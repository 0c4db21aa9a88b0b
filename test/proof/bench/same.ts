import { type Client, fetchOnce } from "./load.ts";
import type { Scenario, Side } from "./scenarios.ts";
import type { Database } from "./seed.ts";
import type { Target } from "./targets.ts";

/** The tables to which the measured requests add rows. */
const WRITTEN = [
  ...["refresh_tokens", "audit_events", "user_invitations", "user_invitation_assignments"],
  ...["user_invitation_sends", "memberships", "membership_assignments", "notifications"],
];

type Runner = { side: Side; target: Target; clients: Client[] };

/**
 * Sends one request to the service and to the baseline, and compares the relevant parts of the responses and the
 * numbers of rows added.
 * @throws if they differ: the baseline would do different work, and ratios would be meaningless
 */
export async function assertSame(scenario: Scenario, service: Runner, baseline: Runner): Promise<void> {
  const [ours, bare] = [await outcomeOf(scenario, service), await outcomeOf(scenario, baseline)];
  if (Bun.deepEquals(ours, bare, true)) return;
  const shown = (outcome: unknown) => JSON.stringify(outcome).slice(0, 3_000);
  throw new Error(
    `The baseline returns another response for ${scenario.name}:\n${shown(ours)}\n${shown(bare)}`,
  );
}

async function outcomeOf({ before, comparable = JSON.parse }: Scenario, { side, target, clients }: Runner) {
  await before?.(side);
  const [client] = clients;
  const text = client?.next();
  if (client === undefined || text == null) throw new Error("Nothing to send");
  const earlier = await counts(side.db);
  const { head, body } = await fetchOnce(target.url, text);
  client.onResponse?.(head, body);
  const later = await counts(side.db);
  const rows = Object.entries(later).map(([table, count]) => [table, count - (earlier[table] ?? 0)]);
  return { status: head.slice(9, 12), response: body === "" ? null : comparable(body), rows };
}

async function counts(db: Database): Promise<Record<string, number>> {
  const jobs = "(SELECT count(*)::int FROM pgboss.job WHERE name = 'mail.send') AS jobs";
  const columns = WRITTEN.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
  const [row] = await db.sql<Record<string, number>>(`SELECT ${[...columns, jobs].join(", ")}`);
  return row ?? {};
}
