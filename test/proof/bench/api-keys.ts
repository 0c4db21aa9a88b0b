import { newApiKey } from "../../../src/core/access/api-key-form.ts";
import { ORG_ADMIN } from "../../../src/core/access/catalog.ts";
import { digest } from "./baseline/tokens.ts";
import { pings } from "./latency.ts";
import { bearer, type Client, request, runLoad } from "./load.ts";
import { cpuSeconds } from "./proc.ts";
import type { Database } from "./seed.ts";
import { inTurns, median, printRow, ROUNDS, ratios } from "./stats.ts";
import { startBench, type Target } from "./targets.ts";
import { type Person, seedWorld } from "./world.ts";

const ROUND_MS = Number(process.env.BENCH_ROUND_MS ?? 1_500);
const CONNECTIONS = 16;
const FLOODING = 4;
const ROUTES = ["/api/permissions", "/api/organization"];
const UNLIMITED = { API_KEY_RATE_LIMIT: "1000000", API_KEY_RATE_LIMIT_ORGANIZATION: "1000000" };

/**
 * Measures requests with an API key, which is looked up each time, relative to requests with an access token, and the latency of other
 * requests during a flood of unknown keys. The variants are measured in turns on one service, by the CPU time of
 * its process.
 */
export async function reportApiKeys(): Promise<void> {
  const bench = await startBench({ isDurable: false });
  try {
    const database = await bench.database("service");
    const { people } = await seedWorld(bench, database);
    const service = await bench.start("service", database.url, UNLIMITED);
    const probe = await bench.start("baseline", database.url);
    const [person] = people as [Person];
    const key = await insertKey(database, person);
    console.log(`Medians of ${ROUNDS} rounds of ${ROUND_MS / 1_000} s, ${CONNECTIONS} connections\n`);
    printRow(["route", "CPU of a key / of a token", "p50 of both, ms"], { isHead: true });
    for (const path of ROUTES) {
      const measure = (token: string) => () => measureCpu(service, request("GET", path, bearer(token)));
      const variants = { key: measure(key), token: measure(person.accessToken) };
      await inTurns(variants, 1);
      const found = await inTurns(variants);
      const ratio = median(ratios(found.key, found.token, ({ cpu }) => cpu)).toFixed(2);
      const p50 = [found.key, found.token].map((all) => median(all.map((one) => one.p50)).toFixed(2));
      printRow([`GET ${path}`, ratio, p50.join(", ")]);
    }
    await reportFlood(service, probe);
  } finally {
    await bench.stop();
  }
}

async function insertKey(database: Database, { id }: Person): Promise<string> {
  const key = newApiKey("mosk");
  await database.sql(
    `WITH account AS (
       INSERT INTO service_accounts (organization_id, name) SELECT last_organization_id, 'Bench' FROM users WHERE id = $1
       RETURNING id, organization_id
     ), granted AS (
       INSERT INTO service_account_assignments (service_account_id, organization_id, role_id)
       SELECT id, organization_id, $2 FROM account
     )
     INSERT INTO api_keys (service_account_id, organization_id, name, token_hash, start)
     SELECT id, organization_id, 'Bench', $3, 'mosk_abcd' FROM account`,
    [id, ORG_ADMIN.id, digest(key)],
  );
  return key;
}

async function measureCpu({ url, pid }: Target, text: string): Promise<{ cpu: number; p50: number }> {
  const clients = Array.from({ length: CONNECTIONS }, (): Client => ({ next: () => text }));
  const before = cpuSeconds(pid);
  const { requests, p50 } = await runLoad(url, clients, ROUND_MS);
  return { cpu: (cpuSeconds(pid) - before) / requests, p50 };
}

/**
 * Compares the p99 of empty responses with and without a flood of unknown keys. An idle process shows how much of
 * the latency is caused by the busy cores.
 */
async function reportFlood(service: Target, probe: Target): Promise<void> {
  const both = () => Promise.all([service, probe].map(({ url }) => pings(url, ROUND_MS)));
  const flood = Array.from(
    { length: FLOODING },
    (): Client => ({
      next: () => request("GET", "/api/organization", bearer(newApiKey("mosk"))),
      acceptsErrors: true,
    }),
  );
  await both();
  const rounds: { own: number; bare: number; perSecond: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [idle = Number.NaN, idleProbe = Number.NaN] = await both();
    const [[busy = Number.NaN, busyProbe = Number.NaN], { requests, seconds }] = await Promise.all([
      both(),
      runLoad(service.url, flood, ROUND_MS),
    ]);
    rounds.push({ own: busy / idle, bare: busyProbe / idleProbe, perSecond: requests / seconds });
  }
  const of = (key: keyof (typeof rounds)[number], digits: number) =>
    median(rounds.map((one) => one[key])).toFixed(digits);
  console.log(`\nA flood of unknown keys by ${FLOODING} connections of one address\n`);
  printRow(["p99 of others, flood / none", "the same of an idle process", "unknown keys a second"], {
    isHead: true,
  });
  printRow([of("own", 2), of("bare", 2), of("perSecond", 0)]);
}
