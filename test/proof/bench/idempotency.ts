import { MEMBER } from "../../../src/core/access/catalog.ts";
import { bearer, type Client, request, runLoad } from "./load.ts";
import { inTurns, median, printRow, ROUNDS, ratios } from "./stats.ts";
import { startBench, type Target } from "./targets.ts";
import { type Person, seedWorld } from "./world.ts";

/**
 * The length of a round in ms. It is short, because a user may send only 1,000 requests with a key per hour and
 * instance.
 */
const ROUND_MS = Number(process.env.BENCH_ROUND_MS ?? 700);
const CONNECTIONS = 16;

type Work = { path: string; body: (name: string) => object };
type Measure = { cpu: number; postgres: number; statements: number; p50: number; p99: number };

const WORKS: Record<string, Work> = {
  "POST /api/todos": { path: "/api/todos", body: (title) => ({ title }) },
  "POST /api/members/invitations": {
    path: "/api/members/invitations",
    body: (name) => ({
      email: `${name}@example.com`,
      assignments: [{ roleId: MEMBER.id, unitId: null }],
    }),
  },
};

/**
 * Returns the headers of the three kinds of requests: without a key, with a new key, with a key whose response is
 * already stored.
 */
const KEYS: Record<string, (person: Person) => Record<string, string>> = {
  "without a key": () => ({}),
  "with a new key": () => ({ "idempotency-key": crypto.randomUUID() }),
  "a replay": ({ id }) => ({ "idempotency-key": id }),
};

/**
 * Measures POSTs with an `Idempotency-Key`, new and repeated, relative to POSTs without one. They are measured in
 * turns on one service, and ratios are computed within each round.
 */
export async function reportIdempotency(): Promise<void> {
  const bench = await startBench();
  try {
    const database = await bench.database("service");
    const { people } = await seedWorld(bench, database);
    const service = await bench.start("service", database.url);
    let number = 0;
    const clientsOf = ({ path, body }: Work, kind: string): Client[] =>
      people.slice(0, CONNECTIONS).map((_, index) => ({
        next() {
          number += 1;
          // The users take turns, because each user has a separate request limit.
          const person = people[(index + CONNECTIONS * number) % people.length] as Person;
          const name = kind === "a replay" ? `replayed-${person.id}` : `new-${number}`;
          const headers = { ...bearer(person.ownToken), ...KEYS[kind]?.(person) };
          return request("POST", path, headers, body(name));
        },
      }));
    const measure = (work: Work, kind: string) => async (): Promise<Measure> => {
      // Deletes the records of invitation mails; otherwise the hourly limit would be reached quickly.
      await database.sql("DELETE FROM user_invitation_sends");
      return measureLoad(bench.counters, service, clientsOf(work, kind));
    };
    console.log(`Medians of ${ROUNDS} rounds of ${ROUND_MS / 1_000} s, ${CONNECTIONS} connections\n`);
    printRow(["work", "CPU", "PostgreSQL's CPU", "statements", "p50", "p99"], { isHead: true });
    for (const [name, work] of Object.entries(WORKS)) {
      await database.sql("DELETE FROM idempotency_keys");
      const variants = Object.keys(KEYS).map((kind) => [kind, measure(work, kind)] as const);
      for (const [, warmUp] of variants) await warmUp();
      const found = await inTurns(Object.fromEntries(variants));
      const plain = found["without a key"] ?? [];
      for (const [kind, measures] of Object.entries(found))
        printRow([`${name}, ${kind}`, ...row(measures, plain)]);
    }
  } finally {
    await bench.stop();
  }
}

async function measureLoad(
  counters: (target: Target) => Promise<{ cpu: number; postgres: number; statements: number }>,
  service: Target,
  clients: Client[],
): Promise<Measure> {
  const start = await counters(service);
  const { requests, p50, p99 } = await runLoad(service.url, clients, ROUND_MS);
  const end = await counters(service);
  const perRequest = (key: keyof typeof end) => (end[key] - start[key]) / requests;
  return {
    cpu: perRequest("cpu"),
    postgres: perRequest("postgres"),
    statements: perRequest("statements"),
    p50,
    p99,
  };
}

function row(measures: Measure[], plain: Measure[]): string[] {
  const ratio = (key: keyof Measure) => median(ratios(measures, plain, (one) => one[key])).toFixed(2);
  const statements = median(measures.map((one) => one.statements)).toFixed(1);
  return [ratio("cpu"), ratio("postgres"), statements, ratio("p50"), ratio("p99")];
}
