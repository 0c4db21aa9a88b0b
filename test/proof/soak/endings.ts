import { readConfig } from "../../../src/app/config.ts";
import { startServer } from "../../../src/app/server.ts";
import type { ReceivedMail } from "../../../src/dev/inbox.ts";
import { sweepImages } from "../../../src/features/helpdesk/abandoned-uploads.ts";
import { insertJob } from "../../../src/platform/jobs/insert.ts";
import { until } from "../../support/cluster.ts";
import { signInWithFactors } from "./factors.ts";
import type { Fleet } from "./fleet.ts";
import { replicaViolations, storageViolations, violations } from "./invariants.ts";
import { feedViolations, type Listener } from "./listeners.ts";
import { jobViolations, mailFigures, mailViolations } from "./mails.ts";
import { growthOf, growthViolations } from "./memory.ts";
import type { Person } from "./people.ts";
import type { openSurroundings } from "./surroundings.ts";
import { copyViolations } from "./work-of-billing.ts";
import { seatViolations } from "./work-of-seats.ts";
import type { Workplace } from "./workplace.ts";

type Surroundings = Awaited<ReturnType<typeof openSurroundings>>;
type Ran = {
  listeners: Listener[];
  factors: Map<Person, string>;
  before: ReturnType<Fleet["use"]>;
  /** How often each fault came. */
  broken: Map<string, number>;
  mails: () => ReceivedMail[];
};

const READY = { seconds: 60 };
const SETTLE = { seconds: 180 };
const SEALED = { seconds: 60 };
/** On a machine with more to do than it can, statements miss the deadline of 8 s. */
const REFUSED_SHARE = 0.1;
const MEGABYTES = 900;
const FILES_MORE = 15;
/** All pools of an instance, to both databases, and what clients keep open. */
const SOCKETS = 150;

/** Waits until all is quiet, and compares everything with what was done; with a few lines about it. */
export async function endViolations(s: Surroundings, w: Workplace, ran: Ran) {
  const { sql, fleet, store } = s;
  const { client } = w;
  const found: string[] = [];
  const all = [...client.statuses.values()].reduce((sum, times) => sum + times, 0);
  if (client.refusals > 5 + all * REFUSED_SHARE)
    found.push(`${client.refusals} of ${all} requests were refused with 503 outside of faults`);
  const isReady = until(async () => ((await fleet.areReady()) ? true : null), READY);
  if (!(await isReady.catch(() => false))) {
    found.push("an instance does not become ready again");
    return { found: [...said(w), ...found], report: [] };
  }
  found.push(...(await feedViolations(ran.listeners, client, sql)));
  await Promise.all(ran.listeners.map((listener) => listener.stop()));
  await signInWithFactors(client, ran.factors);
  found.push(...(await seatViolations(w, fleet.instances.length)));
  if (!(await becomesQuiet(sql))) found.push("jobs that are never done");
  found.push(...(await chainViolations(s)));
  await Bun.sleep(2_000);
  const mails = ran.mails();
  found.push(...(await violations(sql, w.effects)));
  found.push(...(await replicaViolations(sql, s.ofReplica)));
  found.push(
    ...(await copyViolations(
      w,
      s.payments.subscriptions.map(({ customer }) => customer),
    )),
  );
  found.push(...(await storageViolations(sql, await sweep(s))));
  const mailed = await mailFigures(sql, mails);
  found.push(...mailViolations(mailed, ran.broken), ...(await jobViolations(sql, mails, fleet.logged())));

  const listener = ran.listeners[0]?.person;
  const growth = listener === undefined ? [] : await growthOf(fleet, client, listener);
  found.push(...growthViolations(growth));
  const after = fleet.use();
  const files = Math.max(...ran.before.map((one) => one.files));
  for (const use of after) {
    if (use.files > files + FILES_MORE)
      found.push(`an instance has ${use.files} open files, ${files} at the start`);
    if (use.sockets > SOCKETS) found.push(`an instance has ${use.sockets} connections`);
    if (use.megabytes > MEGABYTES) found.push(`an instance takes ${Math.round(use.megabytes)} MB`);
  }
  const [{ connections } = { connections: 0 }] = await sql(
    "SELECT count(*)::int AS connections FROM pg_stat_activity WHERE datname = current_database()",
  );
  if (Number(connections) > 3 * 45) found.push(`${connections} connections are open`);
  const used = after.map(
    (use) => `${use.files} files, ${use.sockets} sockets, ${Math.round(use.megabytes)} MB`,
  );
  const report = [
    `mails: ${mailed.distinct} different ones, ${mailed.twice} came twice; ${mailed.told} invitations`,
    `instances: ${used.join("; ")}; ${connections} connections; ${store.keys().length} objects`,
    `an instance grew by ${growth.join(", ")} MB, with as many requests each time`,
  ];
  return { found: [...said(w), ...found], report };
}

const said = ({ client, found }: Workplace) => [
  ...client.unexpected.map((what) => `unexpected answer: ${what}`),
  ...found,
];

/** Mails wait up to minutes after a failure; here they are due at once. */
const becomesQuiet = (sql: Surroundings["sql"]) =>
  until(async () => {
    await sql("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'");
    const left = await sql(
      `SELECT FROM pgboss.job WHERE state IN ('created', 'active', 'retry') AND name NOT LIKE '\\_\\_%'
       AND start_after <= now() LIMIT 1`,
    );
    return left.length === 0 ? true : null;
  }, SETTLE).catch(() => false);

/** Seals what still waits, and compares all events with their chains, as an operator would. */
async function chainViolations({ sql, environment, databaseUrl }: Surroundings): Promise<string[]> {
  const isSealed = until(async () => {
    await insertJob({ query: sql }, "audit.seal", {});
    await Bun.sleep(1_000);
    return (await sql("SELECT FROM audit_unsealed LIMIT 1")).length === 0 ? true : null;
  }, SEALED);
  if (!(await isSealed.catch(() => false))) return ["events that are never sealed"];
  const verifying = Bun.spawn(["bun", "src/audit.ts", "verify"], {
    env: { PATH: process.env.PATH, ...environment, DATABASE_URL: databaseUrl },
    stdout: "pipe",
    stderr: "pipe",
  });
  const lines = `${await new Response(verifying.stdout).text()}${await new Response(verifying.stderr).text()}`;
  return (await verifying.exited) === 0 ? [] : [`the chains of events: ${lines.trim().slice(-600)}`];
}

/** Sweeps what crashes left in the storage, an hour later; returns the keys of what is still there. */
async function sweep({ sql, environment, databaseUrl, store }: Surroundings): Promise<string[]> {
  await sql(
    "UPDATE ticket_attachments SET created_at = created_at - interval '2 hours' WHERE message_id IS NULL",
  );
  const { config } = readConfig({ ...environment, DATABASE_URL: databaseUrl, LOG_LEVEL: "fatal" });
  if (config === null) throw new Error("The configuration of the sweep is wrong");
  const sweeper = await startServer(config, { runJobs: false });
  await sweepImages(sweeper);
  await sweeper.stop();
  return store.keys();
}
