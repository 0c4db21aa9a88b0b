import { readConfig } from "../../src/app/config.ts";
import { startServer } from "../../src/app/server.ts";
import type { ReceivedMail } from "../../src/dev/inbox.ts";
import { sweepImages } from "../../src/features/helpdesk/abandoned-uploads.ts";
import { until, untilReady } from "../support/cluster.ts";
import { randomOf } from "../support/image-mutations.ts";
import { Client, NO_ANSWER } from "./client.ts";
import { changeKeys, FAULTS } from "./faults.ts";
import { mailFigures, replicaViolations, storageViolations, violations } from "./invariants.ts";
import { plantPeople } from "./people.ts";
import { openSurroundings } from "./surroundings.ts";
import { workOnAll, workOnce } from "./work.ts";
import type { Workplace } from "./workplace.ts";

export type Plan = {
  minutes: number;
  seed: number;
  rate: number;
  faults: { atMs: number; name: string; lastsMs: number; seed: number }[];
  plans: string;
  /** Where a run may write. */
  folder: string;
};

/** How long after a fault requests may still fail: pools reconnect, and clients get 503 for up to 8 s. */
const AFTERMATH_MS = 12_000;
const LAST_ROUNDS = 10;
const SETTLE = { seconds: 180 };
/** On a machine with more to do than it can, statements miss the deadline of 8 s. */
const REFUSED_SHARE = 0.05;
const MEGABYTES = 900;
const FILES_MORE = 15;
/** All pools of an instance, to both databases, and what clients keep open. */
const SOCKETS = 150;

/** Runs the plan, waits until all is quiet, and returns every violated invariant. */
export async function soak({ minutes, seed, rate, faults, plans, folder }: Plan): Promise<string[]> {
  const surroundings = await openSurroundings({ plans, folder });
  const { databaseUrl, inbox, store, payments, environment, fleet, sql, ofReplica } = surroundings;
  const mails = new Map<string, ReceivedMail>();
  const collecting = setInterval(() => {
    for (const mail of inbox.mails) mails.set(mail.id, mail);
  }, 500);
  let excusedUntil = 0;
  let hardUntil = 0;
  let hasMovedClocks = false;
  const isExcused = (status: number, path: string) => {
    const now = performance.now();
    if (status === NO_ANSWER || status === 503) return now < hardUntil;
    // The provider's signatures are too old, or too young, for an instance whose clock is wrong (rules 19.13).
    if (status === 400 && path.endsWith("/webhook")) return now < excusedUntil && hasMovedClocks;
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
      hasMovedClocks ||= name === "move a clock";
      if (fault.isHard) hardUntil = Number.POSITIVE_INFINITY;
      await fault.run(surroundings, randomOf(own), () => Bun.sleep(lastsMs));
      // Early, because what instances leak is seen only as long as they run.
      if (!hasNewKeys && performance.now() - started > minutes * 15_000) {
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

  for (let round = 0; round < LAST_ROUNDS; round += 1) {
    w.mails = [...mails.values()];
    await workOnAll(w, random, `last work ${seed} ${round}`);
  }

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
  found.push(...(await replicaViolations(sql, ofReplica)));

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
    if (use.sockets > SOCKETS) found.push(`an instance has ${use.sockets} connections`);
    if (use.megabytes > MEGABYTES) found.push(`an instance takes ${Math.round(use.megabytes)} MB`);
  }
  const [{ connections } = { connections: 0 }] = await sql(
    "SELECT count(*)::int AS connections FROM pg_stat_activity WHERE datname = current_database()",
  );
  if (Number(connections) > 3 * 45) found.push(`${connections} connections are open`);
  clearInterval(collecting);
  await surroundings.stop();

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
    `instances: ${after.map((use) => `${use.files} files, ${use.sockets} sockets, ${Math.round(use.megabytes)} MB`).join("; ")}; ${connections} connections`,
  );
  return found;
}
