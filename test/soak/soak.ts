import { SQL } from "bun";
import { readConfig } from "../../src/app/config.ts";
import { migrateAll } from "../../src/app/migrate.ts";
import { startServer } from "../../src/app/server.ts";
import { type ReceivedMail, startInbox } from "../../src/dev/inbox.ts";
import { startPayments } from "../../src/dev/payments.ts";
import { createDatabase, startPostgres } from "../../src/dev/postgres.ts";
import { sweepImages } from "../../src/features/helpdesk/abandoned-uploads.ts";
import { until, untilReady } from "../support/cluster.ts";
import { environmentFor } from "../support/environment.ts";
import { randomOf } from "../support/image-mutations.ts";
import { PAYMENT } from "../support/plans.ts";
import { Client, NO_ANSWER } from "./client.ts";
import { changeKeys, FAULTS, type Surroundings } from "./faults.ts";
import { Fleet } from "./fleet.ts";
import { mailFigures, storageViolations, violations } from "./invariants.ts";
import { Network } from "./network.ts";
import { startObjectStore } from "./object-store.ts";
import { plantPeople } from "./people.ts";
import { type Workplace, workOnce } from "./work.ts";

export type Plan = {
  minutes: number;
  seed: number;
  rate: number;
  faults: { atMs: number; name: string; lastsMs: number; seed: number }[];
  plans: string;
};

/** How long after a fault requests may still fail: pools reconnect, and clients get 503 for up to 8 s. */
const AFTERMATH_MS = 12_000;
const SETTLE = { seconds: 180 };
/** On a machine with more to do than it can, statements miss the deadline of 8 s. */
const REFUSED_SHARE = 0.05;
const MEGABYTES = 900;
const FILES_MORE = 40;

/** Runs the plan, waits until all is quiet, and returns every violated invariant. */
export async function soak({ minutes, seed, rate, faults, plans }: Plan): Promise<string[]> {
  const settings = { fsync: "off", synchronous_commit: "on", max_connections: "200" };
  const postgres = await startPostgres({ dataDir: null, settings });
  const databaseUrl = await createDatabase(postgres.url, "soak");
  await migrateAll(databaseUrl);
  const inbox = await startInbox({ webPort: null });
  const store = startObjectStore();
  const payments = startPayments({
    secretKey: PAYMENT.PAYMENT_SECRET_KEY,
    webhookSecret: PAYMENT.PAYMENT_WEBHOOK_SECRET,
    webhookUrl: () => "http://127.0.0.1:9",
  });
  const to = (port: () => number) => Network.to(() => ({ host: "127.0.0.1", port: port() }));
  const networks = {
    database: await to(() => postgres.port),
    smtp: await to(() => inbox.smtpPort),
    storage: await to(() => store.port),
    payments: await to(() => Number(new URL(payments.url).port)),
  };
  const through = Object.assign(new URL(databaseUrl), { port: String(networks.database.port) });
  const environment = {
    ...environmentFor(through.href, networks.smtp.port),
    ...{
      BILLING_PLANS_FILE: plans,
      ...PAYMENT,
      PAYMENT_API_URL: `http://127.0.0.1:${networks.payments.port}`,
    },
    ...{ STORAGE_DRIVER: "s3", S3_BUCKET: "images", S3_REGION: "us-east-1", S3_FORCE_PATH_STYLE: "true" },
    ...{
      S3_ENDPOINT: `http://127.0.0.1:${networks.storage.port}`,
      S3_ACCESS_KEY_ID: "a",
      S3_SECRET_ACCESS_KEY: "b",
    },
  };
  const fleet = await Fleet.start(3, environment);
  const sql = reconnecting(databaseUrl);
  const surroundings: Surroundings = { fleet, postgres, networks, store, sql };

  const mails = new Map<string, ReceivedMail>();
  const collecting = setInterval(() => {
    for (const mail of inbox.mails) mails.set(mail.id, mail);
  }, 500);
  let excusedUntil = 0;
  let hardUntil = 0;
  const isExcused = (status: number, path: string) => {
    const now = performance.now();
    if (status === NO_ANSWER || status === 503) return now < hardUntil;
    // Storage and payments that are away fail only what needs them.
    return now < excusedUntil && status >= 500 && /support|webhook|billing/.test(path);
  };
  const client = new Client(fleet, isExcused);
  const w: Workplace = {
    ...{ client, people: await plantPeople(sql, 4), payments, mails: [], effects: [] },
    ...{ known: { todos: new Map(), tickets: [] }, accepted: new Set() },
  };
  const random = randomOf(seed + 1);
  const before = fleet.use();
  const started = performance.now();
  const endsAt = started + minutes * 60_000;
  const running = new Set<Promise<unknown>>();

  async function breakThings() {
    const chance = new Map<string, number>();
    let hasNewKeys = false;
    for (const { atMs, name, lastsMs, seed: own } of faults) {
      await Bun.sleep(Math.max(0, started + atMs - performance.now()));
      const fault = FAULTS[name];
      if (fault === undefined) throw new Error(`No fault ${name}`);
      excusedUntil = Number.POSITIVE_INFINITY;
      if (fault.isHard) hardUntil = Number.POSITIVE_INFINITY;
      await fault.run(surroundings, randomOf(own), () => Bun.sleep(lastsMs));
      if (!hasNewKeys && performance.now() - started > minutes * 30_000) {
        hasNewKeys = true;
        hardUntil = Number.POSITIVE_INFINITY;
        await changeKeys(surroundings, environment);
      }
      const now = performance.now();
      excusedUntil = now + AFTERMATH_MS;
      if (hardUntil === Number.POSITIVE_INFINITY) hardUntil = now + AFTERMATH_MS;
      chance.set(name, (chance.get(name) ?? 0) + 1);
    }
    return chance;
  }
  const breaking = breakThings();
  for (let number = 0; performance.now() < endsAt; number += 1) {
    await Bun.sleep(Math.max(0, started + (number * 1000) / rate - performance.now()));
    // Those that wait for what is frozen do not pile up without end.
    if (running.size >= 60) await Promise.race(running);
    w.mails = [...mails.values()];
    const work: Promise<unknown> = workOnce(w, random, `work ${seed} ${number}`).finally(() =>
      running.delete(work),
    );
    running.add(work);
  }
  const broken = await breaking;
  await Promise.all(running);

  const found = [...client.unexpected.map((what) => `unexpected answer: ${what}`)];
  const all = [...client.statuses.values()].reduce((sum, times) => sum + times, 0);
  if (client.refusals > 5 + all * REFUSED_SHARE)
    found.push(`${client.refusals} of ${all} requests were refused with 503 outside of faults`);
  for (const instance of fleet.instances) if (instance) await untilReady(instance.url);
  // Mails wait up to minutes after a failure; here they are due at once.
  const isQuiet = await until(async () => {
    await sql("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'");
    const left = await sql(
      `SELECT FROM pgboss.job WHERE state IN ('created', 'active', 'retry') AND name NOT LIKE '\\_\\_%'
       AND start_after <= now() LIMIT 1`,
    );
    return left.length === 0 ? true : null;
  }, SETTLE).catch(() => false);
  if (!isQuiet) found.push("jobs that are never done");
  await Bun.sleep(2_000);
  for (const mail of inbox.mails) mails.set(mail.id, mail);
  found.push(...(await violations(sql, w.effects)));

  // What crashes left in the storage, an hour later.
  await sql(
    "UPDATE ticket_attachments SET created_at = created_at - interval '2 hours' WHERE message_id IS NULL",
  );
  const { config } = readConfig({ ...environment, DATABASE_URL: databaseUrl, LOG_LEVEL: "fatal" });
  if (config === null) throw new Error("The configuration of the sweep is wrong");
  const sweeper = await startServer(config, { runJobs: false });
  await sweepImages(sweeper.app);
  await sweeper.stop();
  found.push(...(await storageViolations(sql, store.keys())));

  const mailed = await mailFigures(sql, [...mails.values()]);
  if (mailed.left > 0) found.push(`${mailed.left} mails were never sent`);
  if (mailed.invitations !== mailed.told)
    found.push(`${mailed.told} invitations, and ${mailed.invitations} mails of them`);
  const crashes = (broken.get("kill an instance") ?? 0) + (broken.get("restart PostgreSQL") ?? 0);
  const interrupted = [...broken].reduce(
    (sum, [name, times]) => sum + (/SMTP|database|PostgreSQL|backends/.test(name) ? times : 0),
    crashes,
  );
  if (mailed.twice > interrupted * 4)
    found.push(`${mailed.twice} mails came twice, for ${interrupted} interruptions`);

  const after = fleet.use();
  const files = Math.max(...before.map((one) => one.files));
  for (const use of after) {
    if (use.files > files + FILES_MORE)
      found.push(`an instance has ${use.files} open files, ${files} at the start`);
    if (use.megabytes > MEGABYTES) found.push(`an instance takes ${Math.round(use.megabytes)} MB`);
  }
  const [{ connections } = { connections: 0 }] = await sql(
    "SELECT count(*)::int AS connections FROM pg_stat_activity WHERE datname = current_database()",
  );
  if (Number(connections) > 3 * 45) found.push(`${connections} connections are open`);
  clearInterval(collecting);
  await fleet.stop();
  for (const network of Object.values(networks)) network.stop();
  await Promise.all([inbox.stop(), payments.stop(), store.stop()]);
  await postgres.stop();

  const statuses = [...client.statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, times]) => `${status || "none"}: ${times}`);
  const sure = w.effects.filter(({ isSure }) => isSure).length;
  console.log(
    `${minutes} minutes, ${[...broken.values()].reduce((sum, times) => sum + times, 0)} faults, seed ${seed}`,
  );
  console.log(`faults: ${[...broken].map(([name, times]) => `${name} ${times}`).join(", ")}`);
  console.log(
    `statuses: ${statuses.join(", ")}; ${client.signIns} sign-ins, ${client.refusals} times 503 outside of faults`,
  );
  console.log(`${w.effects.length} effects, ${sure} of them answered; ${store.keys().length} objects`);
  console.log(
    `mails: ${mailed.distinct} different ones, ${mailed.twice} came twice; ${mailed.told} invitations`,
  );
  console.log(
    `instances: ${after.map((use) => `${use.files} files, ${Math.round(use.megabytes)} MB`).join("; ")}; ${connections} connections`,
  );
  return found;
}

/** Statements of the run itself, which survive what it does to the database. */
function reconnecting(url: string) {
  let database = new SQL({ url, max: 2 });
  return async (text: string): Promise<Record<string, unknown>[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return [...(await database.unsafe(text))];
      } catch (error) {
        const isLost = /connection|closed|terminat|starting up|shutting down/i.test(String(error));
        if (!isLost || attempt > 50) throw error;
        await database.close({ timeout: 0 }).catch(() => {});
        database = new SQL({ url, max: 2 });
        await Bun.sleep(300);
      }
    }
  };
}
