import { readConfig } from "../../../src/app/config.ts";
import { startServer } from "../../../src/app/server.ts";
import type { ReceivedMail } from "../../../src/dev/inbox.ts";
import { sweepImages } from "../../../src/features/helpdesk/abandoned-uploads.ts";
import { insertJob } from "../../../src/platform/jobs/send.ts";
import { until } from "../../support/cluster.ts";
import type { openEnvironment } from "./environment.ts";
import type { Fleet } from "./fleet.ts";
import { databaseViolations, replicaViolations, storageViolations } from "./invariants.ts";
import { type Listener, streamViolations } from "./listeners.ts";
import { mailViolations } from "./mails.ts";
import { growthOf, growthViolations } from "./memory.ts";
import { webhookViolations } from "./webhooks.ts";
import { copyViolations } from "./work-billing.ts";
import type { WorkContext } from "./work-context.ts";
import { seatViolations } from "./work-seats.ts";

type Environment = Awaited<ReturnType<typeof openEnvironment>>;
type Observations = {
  listeners: Listener[];
  webhookSecrets: string[];
  before: ReturnType<Fleet["usage"]>;
  /** How often each kind of fault was injected. */
  faultCounts: Map<string, number>;
  mails: () => ReceivedMail[];
};

const READY = { seconds: 60 };
const SETTLE = { seconds: 180 };
const SEALED = { seconds: 60 };
/** The maximum number of 503 responses at the deadline: on an overloaded machine, statements exceed 8 s. */
const MAX_REFUSED_SHARE = 0.1;
const MAX_MEGABYTES = 900;
const MAX_ADDITIONAL_FILES = 15;
/**
 * The maximum number of open connections of an instance: those of all pools to both databases, and those of
 * clients.
 */
const MAX_SOCKETS = 150;

/**
 * Waits until all jobs are done, and checks the database, mails, storage, replica and instances. Returns violations
 * and a report.
 */
export async function outcomeViolations(s: Environment, w: WorkContext, observed: Observations) {
  const { sql, fleet, store } = s;
  const { client } = w;
  const violations: string[] = [];
  const total = [...client.statuses.values()].reduce((sum, times) => sum + times, 0);
  if (client.refusals > 5 + total * MAX_REFUSED_SHARE)
    violations.push(`${client.refusals} of ${total} requests were refused with 503 outside of faults`);
  const isReady = until(async () => ((await fleet.areReady()) ? true : null), READY);
  if (!(await isReady.catch(() => false))) {
    violations.push("an instance does not become ready again");
    return { violations: [...requestViolations(w), ...violations], report: [] };
  }
  violations.push(...(await streamViolations(observed.listeners, sql)));
  await Promise.all(observed.listeners.map((listener) => listener.stop()));
  violations.push(...(await seatViolations(w, fleet.instances.length)));
  if (!(await waitForJobs(sql))) violations.push("jobs that never complete");
  violations.push(...(await chainViolations(s)));
  const webhooks = await webhookViolations(sql, s.receiver, observed.webhookSecrets);
  violations.push(...webhooks.violations);
  await Bun.sleep(2_000);
  const mails = observed.mails();
  violations.push(...(await databaseViolations(sql, w.effects)));
  violations.push(...(await replicaViolations(sql, s.replicaSql)));
  const customers = s.payments.subscriptions.map(({ customer }) => customer);
  violations.push(...(await copyViolations(w, customers)));
  violations.push(...(await storageViolations(sql, await sweep(s))));
  const logged = fleet.logged();
  const mailed = await mailViolations(sql, mails, logged, observed.faultCounts);
  violations.push(...mailed.violations);

  const listener = observed.listeners[0]?.person;
  const growth = listener === undefined ? [] : await growthOf(fleet, client, listener);
  violations.push(...growthViolations(growth));
  const after = fleet.usage();
  const files = Math.max(...observed.before.map((one) => one.files));
  for (const use of after) {
    if (use.files > files + MAX_ADDITIONAL_FILES)
      violations.push(`an instance has ${use.files} open files, ${files} at the start`);
    if (use.sockets > MAX_SOCKETS) violations.push(`an instance has ${use.sockets} connections`);
    if (use.megabytes > MAX_MEGABYTES) violations.push(`an instance uses ${Math.round(use.megabytes)} MB`);
  }
  const [{ connections } = { connections: 0 }] = await sql(
    "SELECT count(*)::int AS connections FROM pg_stat_activity WHERE datname = current_database()",
  );
  if (Number(connections) > 3 * 45) violations.push(`${connections} connections are open`);
  const used = after.map(
    (use) => `${use.files} files, ${use.sockets} sockets, ${Math.round(use.megabytes)} MB`,
  );
  const report = [
    `repeated with their idempotency key: ${w.repeats.sent} requests, of which ${w.repeats.succeeded} returned 201`,
    webhooks.line,
    mailed.line,
    `instances: ${used.join("; ")}; ${connections} connections; ${store.keys().length} objects`,
    `an instance grew by ${growth.join(", ")} MB in rounds of requests`,
  ];
  return { violations: [...requestViolations(w), ...violations], report };
}

const requestViolations = ({ client, violations }: WorkContext) => [
  ...client.unexpected.map((what) => `unexpected response: ${what}`),
  ...violations,
];

/** Waits until all jobs are done. Jobs that wait after a failed attempt are made due at once. */
const waitForJobs = (sql: Environment["sql"]) =>
  until(async () => {
    await sql("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'");
    const left = await sql(
      `SELECT FROM pgboss.job WHERE state IN ('created', 'active', 'retry') AND name NOT LIKE '\\_\\_%'
       AND start_after <= now() LIMIT 1`,
    );
    return left.length === 0 ? true : null;
  }, SETTLE).catch(() => false);

/** Seals all audit events, and verifies the chains with the command for operators. */
async function chainViolations({ sql, variables, databaseUrl }: Environment): Promise<string[]> {
  const isSealed = until(async () => {
    await insertJob({ query: sql }, "audit.seal", {});
    await Bun.sleep(1_000);
    return (await sql("SELECT FROM audit_unsealed LIMIT 1")).length === 0 ? true : null;
  }, SEALED);
  if (!(await isSealed.catch(() => false))) return ["events that are never sealed"];
  const verifying = Bun.spawn(["bun", "src/audit.ts", "verify"], {
    env: { PATH: process.env.PATH, ...variables, DATABASE_URL: databaseUrl },
    stdout: "pipe",
    stderr: "pipe",
  });
  const lines = `${await new Response(verifying.stdout).text()}${await new Response(verifying.stderr).text()}`;
  return (await verifying.exited) === 0 ? [] : [`the chains of events: ${lines.trim().slice(-600)}`];
}

/** Deletes abandoned uploads, after they were backdated by two hours. Returns the keys of the remaining objects. */
async function sweep({ sql, variables, databaseUrl, store }: Environment): Promise<string[]> {
  await sql(
    "UPDATE ticket_attachments SET created_at = created_at - interval '2 hours' WHERE message_id IS NULL",
  );
  const { config } = readConfig({ ...variables, DATABASE_URL: databaseUrl, LOG_LEVEL: "fatal" });
  if (config === null) throw new Error("The configuration of the sweep is wrong");
  const sweeper = await startServer(config, { runJobs: false });
  await sweepImages(sweeper);
  await sweeper.stop();
  return store.keys();
}
