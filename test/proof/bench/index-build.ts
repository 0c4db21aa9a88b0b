import { withoutIndexes } from "./growth-seed.ts";
import { HELD_BY_ADMINISTRATOR } from "./identity.ts";
import { bearer } from "./load.ts";
import { percentile, printRow } from "./stats.ts";
import { type Bench, type OwnDatabase, startBench } from "./targets.ts";
import { seedOrganization } from "./world.ts";

const ROWS = Number(process.env.BENCH_ROWS ?? 2_000_000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
/**
 * The number of clients. There are few, so that the cores keep some idle time, and one account stays within its
 * limit of lists (rules 23).
 */
const CLIENTS = 2;
const PAUSE_MS = 30;

/**
 * The statements that add an index to audit events as docs/operate/scale.md describes, in the partition that has
 * rows.
 */
const BUILD = [
  // Builds the index without parallel workers, like `max_parallel_maintenance_workers = 0` in a session.
  "ALTER TABLE audit_events_first SET (parallel_workers = 0)",
  "DROP INDEX CONCURRENTLY IF EXISTS audit_events_first_measured",
  "CREATE INDEX CONCURRENTLY audit_events_first_measured ON audit_events_first (target_type, request_id, time)",
];

/**
 * Measures the API's latency while an index is built concurrently on millions of events, relative to the latency
 * before.
 */
export async function reportIndexBuild(): Promise<void> {
  const bench = await startBench({ isDurable: false });
  try {
    const db = await bench.database("service");
    const { send } = await startTenant(bench, db);
    await load(send, 5);
    const idle = await load(send, SECONDS);
    const built = { builds: 0 };
    const busy = await load(send, SECONDS, async () => {
      for (const statement of BUILD) await db.sql(statement);
      built.builds += 1;
    });
    console.log(`${ROWS} events, ${busy.length} requests in ${SECONDS} s, ${built.builds} builds\n`);
    printRow(["", "p50, ms", "p99, ms", "worst, ms"], { isHead: true });
    const row = (name: string, times: number[]) =>
      printRow([name, ...[0.5, 0.99, 1].map((part) => percentile(times, part).toFixed(1))]);
    row("idle", idle);
    row("while building", busy);
    const ratio = [0.5, 0.99].map((part) => percentile(busy, part) / percentile(idle, part));
    printRow(["ratio", ...ratio.map((one) => one.toFixed(2)), ""]);
  } finally {
    await bench.stop();
  }
}

async function startTenant(bench: Bench, db: OwnDatabase) {
  const organization = await seedOrganization(db, "tenant");
  const [person] = await db.sql<{ id: string }>(
    `WITH made AS (INSERT INTO users (email, first_name, last_name, language, email_verified_at)
       VALUES ('tenant@example.com', 'Ada', 'Lovelace', 'EN', now()) RETURNING id),
     member AS (INSERT INTO memberships (organization_id, user_id) SELECT $1, id FROM made RETURNING id, user_id),
     role AS (INSERT INTO membership_assignments (membership_id, role_id)
       SELECT member.id, r.id FROM member, roles r WHERE r.organization_id IS NULL AND r.name = 'ORG_ADMIN')
     SELECT user_id AS id FROM member`,
    [organization.id],
  );
  const sub = person?.id ?? "";
  const fill = () =>
    db.sql(
      `INSERT INTO audit_events (action, actor_id, target_type, target_id, organization_id, ip, request_id, time, subject_user_id)
     SELECT 'MEMBER_ROLES_CHANGED', $2, 'user', $2, $1, '10.0.' || n % 200 || '.' || n % 250, 'request-' || n,
       now() - n * interval '10 seconds', $2 FROM generate_series(1, $3::int) n`,
      [organization.id, sub, ROWS],
    );
  await withoutIndexes(db, fill);
  const { url } = await bench.start("service", db.url);
  const headers = {
    ...bearer(bench.sign({ ...HELD_BY_ADMINISTRATOR, sub, sid: crypto.randomUUID(), organization })),
    "content-type": "application/json",
  };
  /** Sends a request; one in four is a write that inserts an audit event. */
  async function send(number: number): Promise<void> {
    const isWrite = number % 4 === 0;
    const path = isWrite ? "/api/organization" : ["/api/todos", "/api/organization/audit-events"][number % 2];
    const body = isWrite ? JSON.stringify({ name: `Tenant ${number}` }) : null;
    const response = await fetch(url + path, { method: isWrite ? "PATCH" : "GET", headers, body });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  }
  return { send };
}

/** Sends requests from few clients, with pauses in between, while `work` is repeated. Returns the response times. */
async function load(send: (number: number) => Promise<void>, seconds: number, work?: () => Promise<void>) {
  const times: number[] = [];
  const until = performance.now() + seconds * 1_000;
  const repeat = async (step: () => Promise<void>) => {
    while (performance.now() < until) await step();
  };
  let number = 0;
  const ask = async () => {
    const begun = performance.now();
    number += 1;
    await send(number);
    times.push(performance.now() - begun);
    await Bun.sleep(PAUSE_MS);
  };
  const clients = Array.from({ length: CLIENTS }, () => repeat(ask));
  await Promise.all([...clients, ...(work === undefined ? [] : [repeat(work)])]);
  return times;
}
