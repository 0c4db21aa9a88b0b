import type { ReceivedMail } from "../../../src/dev/inbox.ts";
import { insertJob } from "../../../src/platform/jobs/insert.ts";
import { randomOf } from "../../support/image-mutations.ts";
import { Client } from "./client.ts";
import { endViolations } from "./endings.ts";
import { enableFactors } from "./factors.ts";
import { Listener } from "./listeners.ts";
import { plantPeople } from "./people.ts";
import { openSurroundings } from "./surroundings.ts";
import { type PlannedFault, Trouble } from "./trouble.ts";
import { workAtOnce, workOnAll, workOnce } from "./work.ts";
import type { Workplace } from "./workplace.ts";

export type Plan = {
  minutes: number;
  seed: number;
  rate: number;
  faults: PlannedFault[];
  plans: string;
  /** Where a run may write. */
  folder: string;
};

const LAST_ROUNDS = 5;
/** What otherwise comes once a minute, an hour or a day. */
const SCHEDULED = ["audit.seal", "helpdesk.sweep", "billing.reconcile", "mail.retry-failed"];
const SCHEDULED_MS = 2_500;
const AT_ONCE = 120;

/** Runs the plan, waits until all is quiet, and returns every violated invariant. */
export async function soak(plan: Plan): Promise<string[]> {
  const surroundings = await openSurroundings(plan);
  try {
    return await soakIn(surroundings, plan);
  } finally {
    await surroundings.stop();
  }
}

async function soakIn(
  surroundings: Awaited<ReturnType<typeof openSurroundings>>,
  { minutes, seed, rate, faults }: Plan,
): Promise<string[]> {
  const { inbox, store, payments, environment, fleet, sql } = surroundings;
  const mails = new Map<string, ReceivedMail>();
  const collect = () => {
    for (const mail of inbox.mails) mails.set(mail.id, mail);
  };
  const collecting = setInterval(collect, 500);
  const running = new Set<Promise<unknown>>();
  const begin = (work: Promise<unknown>) => {
    const one: Promise<unknown> = work.finally(() => running.delete(one));
    running.add(one);
  };
  const trouble = new Trouble(surroundings, environment, ({ name, lastsMs, seed: own }) => {
    if (running.size < AT_ONCE)
      for (const work of workAtOnce(w, randomOf(own), `${name} ${own}`, lastsMs)) begin(work);
  });
  const client = new Client(fleet, trouble.excuses);
  const people = await plantPeople(sql, 4);
  const w: Workplace = {
    ...{ client, sql, people, payments, mails: [], effects: [], found: [] },
    ...{ known: { todos: new Map(), tickets: [] }, accepted: new Set(), held: new Set() },
  };
  const factors = await enableFactors(
    client,
    people.filter(({ role }) => role === "factor"),
  );
  const random = randomOf(seed + 1);
  const listeners = people.flatMap((person, index) =>
    person.role === "listener" ? new Listener(person, client, fleet, randomOf(seed + index)) : [],
  );
  const before = fleet.use();
  const started = performance.now();
  const endsAt = started + minutes * 60_000;
  const scheduling = setInterval(() => {
    for (const queue of SCHEDULED) void insertJob({ query: sql }, queue, {}).catch(() => {});
  }, SCHEDULED_MS);

  const breaking = trouble.run(faults, started, minutes * 15_000);
  for (let number = 0; performance.now() < endsAt; number += 1) {
    await Bun.sleep(Math.max(0, started + (number * 1000) / rate - performance.now()));
    // Those that wait for what is frozen do not pile up without end.
    if (running.size >= AT_ONCE) await Promise.race(running);
    w.mails = [...mails.values()];
    begin(workOnce(w, random, `work ${seed} ${number}`));
  }
  await breaking;
  await Promise.all(running);
  clearInterval(scheduling);
  for (let round = 0; round < LAST_ROUNDS; round += 1) {
    w.mails = [...mails.values()];
    await workOnAll(w, random, `last work ${seed} ${round}`);
  }
  const { found, report } = await endViolations(surroundings, w, {
    ...{ listeners, factors, before, broken: trouble.counts },
    mails: () => {
      collect();
      return [...mails.values()];
    },
  });
  clearInterval(collecting);

  const statuses = [...client.statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, times]) => `${status || "none"}: ${times}`);
  const sure = w.effects.filter(({ isSure }) => isSure).length;
  console.log(`${minutes} minutes, ${faults.length} faults, seed ${seed}`);
  console.log(`faults: ${[...trouble.counts].map(([name, times]) => `${name} ${times}`).join(", ")}`);
  console.log(
    `statuses: ${statuses.join(", ")}; ${client.signIns} sign-ins, ${client.refusals} times 503 outside of faults`,
  );
  console.log(`${w.effects.length} effects, ${sure} of them answered; ${store.keys().length} objects`);
  for (const line of report) console.log(line);
  return [...trouble.found, ...found];
}
