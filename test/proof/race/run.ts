import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { randomOf } from "../../support/image-mutations.ts";
import { seedOf } from "../../support/seeds.ts";
import { ensureServices } from "../../support/services.ts";
import { ACTIONS, PAIRS } from "./actions.ts";
import { type Plan, type RoundResult, runConcurrently, runSequentially, type Scenario } from "./rounds.ts";
import { openScenario } from "./scenario.ts";

/**
 * `bun run proof race [--rounds N] [--minutes M] [--seed S] [--workers W] [--short] [--pair "a / b"] [--only words]`
 * finds missing locks and conditions, and deadlocks. For every pair of writes, it sends both concurrently to two
 * instances. The seed chooses the statements before which they stop. Both responses and every row of the database must
 * be the result of one of the two orders, which are run sequentially first; `withRejectedCookie` has the one exception.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string" },
    short: { type: "boolean", default: false },
    /** The number of rounds that run at the same time, each on its own database. */
    workers: { type: "string", default: String(Math.min(8, availableParallelism() + 1)) },
    pair: { type: "string" },
    /** Words in the names of writes, separated by commas. Only pairs with such a write are raced. */
    only: { type: "string" },
    plan: { type: "string" },
    findings: { type: "string", default: "20" },
  },
});
/** How often a pair of writes is sent concurrently, after its two sequential orders. */
const ROUNDS_PER_PAIR = 4;
/** How often a sequential order is repeated if calls are rejected with 503. */
const MAX_ATTEMPTS = 5;
/**
 * The number of rounds between vacuums. Deleted rows of past rounds need a vacuum, because the test server has no
 * autovacuum.
 */
const BATCHES_BETWEEN_VACUUMS = 100;
/** Calls that use the member's refresh token. */
const COOKIE_CALLS = new Set(["refresh", "refresh the other", "switch"]);
/** The state of a run, shared by its workers. */
type Run = {
  rounds: number;
  batches: number;
  findings: number;
  deadlocks: number;
  refused: number;
  /** The results of both sequential orders, by pair of writes. */
  models: Map<string, RoundResult[]>;
  outcomes: Set<string>;
};
const maxRounds = Number(values.rounds ?? (values.short ? 800 : 20_000));
const minutes = Number(values.minutes ?? (values.short ? 1.2 : 24 * 60));
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const words = values.only?.split(",") ?? [""];
/** Pairs are in random order: a short run races different pairs with each seed, a long run races all. */
const pairs =
  values.pair === undefined
    ? shuffled(PAIRS.filter((pair) => words.some((word) => pair.some((name) => name.includes(word)))))
    : [values.pair.split(" / ") as [string, string]];

const services = await ensureServices();
let findings = 1;
try {
  findings = await race();
} finally {
  await services.stop();
}
process.exit(findings === 0 ? 0 : 1);

function shuffled<T>(items: T[]): T[] {
  const random = randomOf(seed);
  const left = [...items];
  return items.map(() => left.splice(random(left.length), 1)[0] as T);
}

async function race(): Promise<number> {
  const onlyPlan = values.plan === undefined ? null : (JSON.parse(values.plan) as Plan);
  const workers = await Promise.all(
    Array.from({ length: onlyPlan === null ? Number(values.workers) : 1 }, (_, worker) =>
      openScenario(worker),
    ),
  );
  const started = performance.now();
  const endsAt = started + minutes * 60_000;
  const run: Run = {
    rounds: 0,
    batches: 0,
    findings: 0,
    deadlocks: 0,
    refused: 0,
    models: new Map(),
    outcomes: new Set(),
  };
  await Promise.all(
    workers.map(async ({ scenario }) => {
      if (onlyPlan !== null) {
        await raceOnce(scenario, run, onlyPlan);
        return reportDeadlocks(scenario, run, onlyPlan.pair, `--plan ${shellQuoted(values.plan ?? "")}`);
      }
      while (
        run.rounds < maxRounds &&
        performance.now() < endsAt &&
        run.findings + run.deadlocks < Number(values.findings)
      )
        await raceBatch(scenario, run);
    }),
  );
  let countedDeadlocks = 0;
  for (const { scenario } of workers) {
    const [row] = await scenario.sql(
      "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
    );
    countedDeadlocks += Number(row?.deadlocks ?? 0);
  }
  // The server's statistics of deadlocks are used too, because the log of a server on another machine cannot be
  // read.
  const deadlocks = Math.max(run.deadlocks, countedDeadlocks);
  await Promise.all(workers.map(({ stop }) => stop()));
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `${run.rounds} rounds of ${run.models.size} of ${pairs.length} pairs of ${Object.keys(ACTIONS).length} writes, ` +
      `${run.outcomes.size} different outcomes, ${deadlocks} deadlocks, ${run.refused} rounds refused with 503, seed ${seed}, ${seconds} s`,
  );
  if (values.pair !== undefined) for (const outcome of run.outcomes) console.log(`  ${outcome}`);
  console.log(run.rounds === 0 ? "No round was run" : `${run.findings} findings`);
  // A run that compared nothing must not count as a success.
  return run.rounds === 0 ? 1 : run.findings + deadlocks;
}

/** Races a pair several times. The random choices depend only on the number of the batch, not on the worker. */
async function raceBatch(scenario: Scenario, run: Run) {
  const batch = run.batches;
  run.batches += 1;
  const random = randomOf(seedOf(seed, batch));
  if (batch % BATCHES_BETWEEN_VACUUMS === 0) await scenario.sql("VACUUM");
  const pair = pairs[batch % pairs.length] as [string, string];
  const model = await modelOf(scenario, run, pair);
  for (let count = 0; count < ROUNDS_PER_PAIR && run.rounds < maxRounds; count += 1) {
    const first = (count % 2) as 0 | 1;
    // Chooses neither the first statement nor one after the last, because the call would not be running there.
    const gateAt = (index: 0 | 1, fraction: number) => {
      const statements = Math.max(...model.map((result) => result.statements[index] ?? 0));
      return 2 + Math.floor(fraction * Math.max(1, statements - 1));
    };
    // The first call stops in the first half of its statements, in later rounds in the second half. In one round of
    // eight it does not stop.
    const half = Math.floor(count / 2) / 2;
    const firstGate = random(8) === 0 ? null : gateAt(first, half + random(1_000) / 2_000);
    // In half of the rounds, the second call does not stop at a gate.
    const second = first === 0 ? 1 : 0;
    const secondGate = random(2) === 0 ? null : gateAt(second, random(1_000) / 1_000);
    const gates: Plan["gates"] = first === 0 ? [firstGate, secondGate] : [secondGate, firstGate];
    await raceOnce(scenario, run, { pair, first, gates });
  }
  await reportDeadlocks(scenario, run, pair, `--pair ${shellQuoted(pair.join(" / "))}`);
}

async function raceOnce(scenario: Scenario, run: Run, plan: Plan) {
  const model = await modelOf(scenario, run, plan.pair);
  run.rounds += 1;
  const round = run.rounds;
  const result = await runConcurrently(scenario, plan);
  // A round in which a call was rejected with 503 is not compared.
  if (isRefused(result)) {
    run.refused += 1;
    return;
  }
  run.outcomes.add(`${plan.pair.join(" / ")}: ${result.responses.join(", ")}`);
  if (!model.some((order) => areEqual(order, result))) {
    // A sequential run can have several results, depending on, for example, which of two rows was read first. So
    // both orders are run again.
    const secondModel = [
      ...(await bothOrders(scenario, plan.pair)),
      ...(await withRejectedCookie(scenario, plan.pair)),
    ];
    if (!secondModel.some((order) => areEqual(order, result))) {
      run.findings += 1;
      report(run.findings, round, plan, result, model);
    }
  }
  if (round % 500 === 0) console.log(`${round} rounds, ${run.findings} findings`);
}

async function modelOf(scenario: Scenario, { models }: Run, pair: [string, string]): Promise<RoundResult[]> {
  const name = pair.join(" / ");
  const model = models.get(name) ?? (await bothOrders(scenario, pair));
  models.set(name, model);
  return model;
}

async function bothOrders(scenario: Scenario, pair: [string, string]): Promise<RoundResult[]> {
  return [await runOrder(scenario, pair, [0, 1]), await runOrder(scenario, pair, [1, 0])];
}

/**
 * Returns the result of a call that ends the session while the other one waits with its cookie: the latter arrived
 * while the cookie was good, so it is rejected and is not a reuse (rules 5.8). In sequence it would be one.
 */
async function withRejectedCookie(scenario: Scenario, pair: [string, string]): Promise<RoundResult[]> {
  const [index, other] = COOKIE_CALLS.has(pair[0]) ? ([0, 1] as const) : ([1, 0] as const);
  if (!COOKIE_CALLS.has(pair[index]) || COOKIE_CALLS.has(pair[other])) return [];
  const result = await runOrder(scenario, pair, [other]);
  result.responses[index] = "401 INVALID_REFRESH_TOKEN";
  return [result];
}

/** Runs two calls sequentially. Repeats both if one is rejected with 503. */
async function runOrder(scenario: Scenario, pair: [string, string], order: (0 | 1)[]): Promise<RoundResult> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await runSequentially(scenario, pair, order);
    if (!isRefused(result)) return result;
    if (attempt === MAX_ATTEMPTS) throw new Error(`${pair.join(" / ")} is refused with 503 each time`);
  }
}

/** Whether a call was rejected with 503, as documented for an overloaded machine that misses deadlines. */
function isRefused({ responses }: RoundResult): boolean {
  return responses.some((response) => response.startsWith("503"));
}

function areEqual(one: RoundResult, other: RoundResult): boolean {
  return one.responses.join() === other.responses.join() && one.rows.join("\n") === other.rows.join("\n");
}

/** Returns the rows that are missing in another list; duplicates count. */
function missingFrom(others: string[], rows: string[]): string[] {
  const left = [...others];
  return rows.filter((row) => {
    const at = left.indexOf(row);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function report(number: number, round: number, plan: Plan, result: RoundResult, model: RoundResult[]) {
  console.log(
    `\nFinding ${number} after ${round} rounds: ${plan.pair.join(" / ")}: ${result.responses.join(", ")}`,
  );
  for (const [index, order] of model.entries()) {
    console.log(`  Order ${index === 0 ? "1, 2" : "2, 1"}: ${order.responses.join(", ")}`);
    for (const row of missingFrom(order.rows, result.rows)) console.log(`    + ${row.slice(0, 300)}`);
    for (const row of missingFrom(result.rows, order.rows)) console.log(`    - ${row.slice(0, 300)}`);
  }
  console.log(`  Repeat: bun run proof race --plan ${shellQuoted(JSON.stringify(plan))}`);
}

/** Prints the deadlocks since the last call, with the statements of both processes. */
async function reportDeadlocks(scenario: Scenario, run: Run, pair: [string, string], options: string) {
  for (const statements of (await scenario.deadlocks()) ?? []) {
    run.deadlocks += 1;
    console.log(
      `\nDeadlock ${run.deadlocks} after ${run.rounds} rounds: ${pair.join(" / ")}\n  ${statements.replaceAll("\n", "\n  ")}`,
    );
    console.log(`  Repeat: bun run proof race ${options}`);
  }
}

/** Quotes a text as one argument of a shell command. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
