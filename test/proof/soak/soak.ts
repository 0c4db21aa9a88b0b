import type { ReceivedMail } from "../../../src/dev/inbox.ts";
import { insertJob } from "../../../src/platform/jobs/send.ts";
import { randomOf } from "../../support/image-mutations.ts";
import { Client } from "./client.ts";
import { openEnvironment } from "./environment.ts";
import { FaultRunner, type PlannedFault } from "./fault-runner.ts";
import { Listener } from "./listeners.ts";
import { outcomeViolations } from "./outcomes.ts";
import { addWorlds } from "./people.ts";
import { registerEndpoints } from "./webhooks.ts";
import { doAllWork, doRandomWork, startAllWork } from "./work.ts";
import type { WorkContext } from "./work-context.ts";

export type Plan = {
  minutes: number;
  seed: number;
  rate: number;
  faults: PlannedFault[];
  plans: string;
  /** The folder for temporary files of the run. */
  folder: string;
};

const FINAL_ROUNDS = 5;
/**
 * Queues of jobs that are scheduled once a minute, an hour or a day in production. Here they are scheduled more
 * often.
 */
const SCHEDULED = ["audit.seal", "helpdesk.sweep", "billing.reconcile", "mail.retry-failed"];
const SCHEDULED_MS = 2_500;
const MAX_CONCURRENT = 120;

/** Runs the plan of requests and faults, waits until all jobs are done, and returns the violated invariants. */
export async function soak(plan: Plan): Promise<string[]> {
  const environment = await openEnvironment(plan);
  try {
    return await soakIn(environment, plan);
  } finally {
    await environment.stop();
  }
}

async function soakIn(
  environment: Awaited<ReturnType<typeof openEnvironment>>,
  { minutes, seed, rate, faults }: Plan,
): Promise<string[]> {
  const { inbox, store, payments, fleet, sql } = environment;
  const mails = new Map<string, ReceivedMail>();
  const collect = () => {
    for (const mail of inbox.mails) mails.set(mail.id, mail);
  };
  const collecting = setInterval(collect, 500);
  const running = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>) => {
    const tracked: Promise<unknown> = work.finally(() => running.delete(tracked));
    running.add(tracked);
  };
  const faultRunner = new FaultRunner(environment, ({ name, lastsMs, seed: faultSeed }) => {
    if (running.size < MAX_CONCURRENT)
      for (const work of startAllWork(w, randomOf(faultSeed), `${name} ${faultSeed}`, lastsMs)) track(work);
  });
  const client = new Client(fleet, faultRunner.excuses);
  const { worlds, people } = await addWorlds(sql, 4);
  const w: WorkContext = {
    ...{ client, sql, worlds, people, payments, mails: [], effects: [], violations: [] },
    ...{ accepted: new Set(), locked: new Set(), repeats: { sent: 0, succeeded: 0 } },
  };
  const webhookSecrets = await registerEndpoints(client, worlds, environment.receiver.url);
  const random = randomOf(seed + 1);
  const listeners = people.flatMap((person, index) =>
    person.role === "listener" ? new Listener(person, client, fleet, randomOf(seed + index)) : [],
  );
  const before = fleet.usage();
  const started = performance.now();
  const endsAt = started + minutes * 60_000;
  const scheduling = setInterval(() => {
    for (const queue of SCHEDULED) void insertJob({ query: sql }, queue, {}).catch(() => {});
  }, SCHEDULED_MS);

  const faultsDone = faultRunner.run(faults, started);
  for (let number = 0; performance.now() < endsAt; number += 1) {
    await Bun.sleep(Math.max(0, started + (number * 1000) / rate - performance.now()));
    // Limits the number of concurrent requests while a dependency does not respond.
    if (running.size >= MAX_CONCURRENT) await Promise.race(running);
    w.mails = [...mails.values()];
    track(doRandomWork(w, random, `work ${seed} ${number}`));
  }
  await faultsDone;
  await Promise.all(running);
  clearInterval(scheduling);
  for (let round = 0; round < FINAL_ROUNDS; round += 1) {
    w.mails = [...mails.values()];
    await doAllWork(w, random, `last work ${seed} ${round}`);
  }
  const { violations, report } = await outcomeViolations(environment, w, {
    ...{ listeners, before, webhookSecrets, faultCounts: faultRunner.counts },
    mails: () => {
      collect();
      return [...mails.values()];
    },
  });
  clearInterval(collecting);

  const statuses = [...client.statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, times]) => `${status || "none"}: ${times}`);
  const confirmed = w.effects.filter(({ isConfirmed }) => isConfirmed).length;
  console.log(`${minutes} minutes, ${faults.length} faults, seed ${seed}`);
  console.log(`faults: ${[...faultRunner.counts].map(([name, times]) => `${name} ${times}`).join(", ")}`);
  console.log(
    `statuses: ${statuses.join(", ")}; ${client.signIns} sign-ins, ${client.refusals} times 503 outside of faults, ${client.refusalsOfSlowDatabase} times while the database was slow`,
  );
  console.log(`${w.effects.length} effects, ${confirmed} of them confirmed; ${store.keys().length} objects`);
  for (const line of report) console.log(line);
  return [...faultRunner.violations, ...violations];
}
