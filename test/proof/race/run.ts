import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { randomOf } from "../../support/image-mutations.ts";
import { seedOf } from "../../support/seeds.ts";
import { ensureServices } from "../../support/services.ts";
import { ACTIONS, PAIRS } from "./actions.ts";
import { openArena } from "./arena.ts";
import { type Arena, atOnce, inOrder, type Plan, type Result } from "./rounds.ts";

/**
 * `bun run proof race [--rounds N] [--minutes M] [--seed S] [--lanes L] [--short] [--pair "a / b"] [--only words]`: two writes at once from two
 * instances, stopped before statements that the seed chooses, for every pair of writes. Both answers and every row of the
 * database must be those of one of the two orders, which the service itself has shown before, one call after the other.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string" },
    short: { type: "boolean", default: false },
    /** How many rounds run beside each other, each on a database of its own. */
    lanes: { type: "string", default: String(Math.min(8, availableParallelism() + 1)) },
    pair: { type: "string" },
    /** Words of the names of writes, separated by commas: races only pairs with one of these. */
    only: { type: "string" },
    plan: { type: "string" },
    findings: { type: "string", default: "20" },
  },
});
/** How often a pair is raced once its two orders are known. */
const ROUNDS_OF_A_PAIR = 4;
/** The rows of past rounds stay on the pages until a vacuum, which the server of the tests leaves to us. */
const BATCHES_BETWEEN_VACUUMS = 100;
/** What the lanes of a run share. */
type Run = {
  done: number;
  batches: number;
  found: number;
  deadlocks: number;
  refused: number;
  models: Map<string, Result[]>;
  outcomes: Set<string>;
};
const rounds = Number(values.rounds ?? (values.short ? 800 : 20_000));
const endsAt = performance.now() + Number(values.minutes ?? (values.short ? 1.2 : 24 * 60)) * 60_000;
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const words = values.only?.split(",") ?? [""];
/** In random order: a short run takes other pairs with each seed, a long one takes all. */
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

function shuffled<T>(all: T[]): T[] {
  const random = randomOf(seed);
  const left = [...all];
  return all.map(() => left.splice(random(left.length), 1)[0] as T);
}

async function race(): Promise<number> {
  const given = values.plan === undefined ? null : (JSON.parse(values.plan) as Plan);
  const lanes = await Promise.all(
    Array.from({ length: given === null ? Number(values.lanes) : 1 }, (_, lane) => openArena(lane)),
  );
  const started = performance.now();
  const run: Run = {
    done: 0,
    batches: 0,
    found: 0,
    deadlocks: 0,
    refused: 0,
    models: new Map(),
    outcomes: new Set(),
  };
  await Promise.all(
    lanes.map(async ({ arena }) => {
      if (given !== null) {
        await raceOnce(arena, run, given);
        return reportDeadlocks(arena, run, given.pair, `--plan ${quoted(values.plan ?? "")}`);
      }
      while (
        run.done < rounds &&
        performance.now() < endsAt &&
        run.found + run.deadlocks < Number(values.findings)
      )
        await raceBatch(arena, run);
    }),
  );
  let counted = 0;
  for (const { arena } of lanes) {
    const [row] = await arena.sql(
      "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
    );
    counted += Number(row?.deadlocks ?? 0);
  }
  // The log of a server elsewhere cannot be read.
  const deadlocks = Math.max(run.deadlocks, counted);
  await Promise.all(lanes.map(({ stop }) => stop()));
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `${run.done} rounds of ${run.models.size} of ${pairs.length} pairs of ${Object.keys(ACTIONS).length} writes, ` +
      `${run.outcomes.size} different outcomes, ${deadlocks} deadlocks, ${run.refused} rounds refused with 503, seed ${seed}, ${seconds} s`,
  );
  if (values.pair !== undefined) for (const outcome of run.outcomes) console.log(`  ${outcome}`);
  console.log(`${run.found} unexplained`);
  return run.found + deadlocks;
}

/** Races a pair a few times. What the seed chooses depends on the number of the batch alone, whichever lane takes it. */
async function raceBatch(arena: Arena, run: Run) {
  const batch = run.batches;
  run.batches += 1;
  const random = randomOf(seedOf(seed, batch));
  if (batch % BATCHES_BETWEEN_VACUUMS === 0) await arena.sql("VACUUM");
  const pair = pairs[batch % pairs.length] as [string, string];
  const model = await modelOf(arena, run, pair);
  for (let count = 0; count < ROUNDS_OF_A_PAIR && run.done < rounds; count += 1) {
    const first = (count % 2) as 0 | 1;
    // Before the first statement, or after the last, a call is not under way. Within, each begins in both halves.
    const gate = (index: 0 | 1, part: number) => {
      const most = Math.max(...model.map(({ statements }) => statements[index] ?? 0));
      return 2 + Math.floor(part * Math.max(1, most - 1));
    };
    const half = Math.floor(count / 2) / 2;
    const begun = random(8) === 0 ? null : gate(first, half + random(1_000) / 2_000);
    // Half of the others do all their work in between.
    const other = first === 0 ? 1 : 0;
    const between = random(2) === 0 ? null : gate(other, random(1_000) / 1_000);
    await raceOnce(arena, run, { pair, first, gates: first === 0 ? [begun, between] : [between, begun] });
  }
  await reportDeadlocks(arena, run, pair, `--pair ${quoted(pair.join(" / "))}`);
}

async function raceOnce(arena: Arena, run: Run, plan: Plan) {
  const model = await modelOf(arena, run, plan.pair);
  run.done += 1;
  const round = run.done;
  const result = await atOnce(arena, plan);
  // An overloaded machine misses deadlines, which is refused as documented: such a round says nothing.
  if (result.answers.some((answer) => answer.startsWith("503"))) {
    run.refused += 1;
    return;
  }
  run.outcomes.add(`${plan.pair.join(" / ")}: ${result.answers.join(", ")}`);
  if (!model.some((order) => isSame(order, result))) {
    // What chance decided, such as which of two was read first, is part of the model where it comes in order too.
    const again = await bothOrders(arena, plan.pair);
    if (!again.some((order) => isSame(order, result))) {
      run.found += 1;
      report(run.found, round, plan, result, model);
    }
  }
  if (round % 500 === 0) console.log(`${round} rounds, ${run.found} unexplained`);
}

async function modelOf(arena: Arena, { models }: Run, pair: [string, string]): Promise<Result[]> {
  const name = pair.join(" / ");
  const model = models.get(name) ?? (await bothOrders(arena, pair));
  models.set(name, model);
  return model;
}

async function bothOrders(arena: Arena, pair: [string, string]): Promise<Result[]> {
  return [await inOrder(arena, pair, [0, 1]), await inOrder(arena, pair, [1, 0])];
}

function isSame(one: Result, other: Result): boolean {
  const rows = (result: Result) => result.rows.filter((row) => !isBestEffort(row)).join("\n");
  return one.answers.join() === other.answers.join() && rows(one) === rows(other);
}

/** Sign-ins are recorded after their commit, if that is possible (rules 16.2), and their totals with them. */
function isBestEffort(row: string): boolean {
  return /^audit_events .*"(LOGIN_SUCCEEDED|LOGIN_FAILED|REFRESH_TOKEN_REUSED)"|"list":"audit_events"/.test(
    row,
  );
}

/** The rows of one list that another lacks, as often as it lacks them. */
function lacking(rows: string[], others: string[]): string[] {
  const left = [...others];
  return rows.filter((row) => {
    const at = left.indexOf(row);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function report(number: number, round: number, plan: Plan, result: Result, model: Result[]) {
  console.log(
    `\nUnexplained ${number} after ${round} rounds: ${plan.pair.join(" / ")}: ${result.answers.join(", ")}`,
  );
  for (const [index, order] of model.entries()) {
    console.log(`  In order ${index === 0 ? "1, 2" : "2, 1"}: ${order.answers.join(", ")}`);
    for (const row of lacking(result.rows, order.rows)) console.log(`    + ${row.slice(0, 300)}`);
    for (const row of lacking(order.rows, result.rows)) console.log(`    - ${row.slice(0, 300)}`);
  }
  console.log(`  Repeat: bun run proof race --plan ${quoted(JSON.stringify(plan))}`);
}

/** Prints the deadlocks since the last call, with the statements of both. */
async function reportDeadlocks(arena: Arena, run: Run, pair: [string, string], options: string) {
  for (const statements of (await arena.deadlocks()) ?? []) {
    run.deadlocks += 1;
    console.log(
      `\nDeadlock ${run.deadlocks} after ${run.done} rounds: ${pair.join(" / ")}\n  ${statements.replaceAll("\n", "\n  ")}`,
    );
    console.log(`  Repeat: bun run proof race ${options}`);
  }
}

/** A text as one argument of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
