import { join } from "node:path";
import { ensureServices } from "../../support/services.ts";

/*
 * `bun run proof bench [words]`: benchmarks of the service, on a dedicated PostgreSQL. Whatever is compared is measured in
 * turns in one run, and figures are ratios, so that a slow or busy machine affects all equally. Tables are in Markdown.
 * The latest results, and their meaning, are in docs/decisions/measurements.md.
 *
 *   bun run proof bench                   the service against a minimal server with the same responses (baseline/): requests,
 *                                   CPU, PostgreSQL's CPU, statements and latency of each kind of work (requests.ts)
 *   bun run proof bench members           the same, only scenarios whose names contain these words
 *   bun run proof bench growth [words]    pages, searches and totals of lists of 10^3 to 10^6 rows (growth.ts); a quarter of an
 *                                   hour and 5 GB
 *   bun run proof bench neighbours [words]  lists of 1,000 rows beside 0 to 10^6 rows of other organizations (neighbours.ts); a
 *                                   half an hour and 5 GB
 *   bun run proof bench stream            5,000 open event streams, against the baseline (streams.ts)
 *   bun run proof bench sign-in           latency of other requests during 32 concurrent sign-ins (sign-in.ts)
 *   bun run proof bench uploads           latency of other requests during ten concurrent forms of 25 MB (uploads.ts)
 *   bun run proof bench idempotency       POSTs with an `Idempotency-Key`, against POSTs without one (idempotency.ts)
 *   bun run proof bench api-keys          requests with an API key, against an access token, and a flood of unknown keys (api-keys.ts)
 *   bun run proof bench webhooks          first attempts and other requests beside 10,000 deliveries to receivers that hang (webhooks.ts)
 *   bun run proof bench images            cleaning images, against copying them (images.ts)
 *   bun run proof bench sse               streams of Hono against our own, without the service (sse.ts)
 *   bun run proof bench query plans       the test of all statements' plans, with 50,000 members
 *   bun run proof bench index-build       latency while an index is built on BENCH_ROWS (2,000,000) events (index-build.ts)
 *   bun run proof bench limit plans       the plans of what limits of plans count, with 110,000 members (limit-plans.ts)
 *
 * BENCH_ROUNDS (5) and BENCH_ROUND_MS (1500) are the number and length of measurements, BENCH_SIZES
 * (1000,10000,100000,1000000) the sizes of `growth`, BENCH_NEIGHBOURS (0,1000,100000,1000000) those of `neighbours`. CPU is read from /proc, so all but the last five need Linux.
 */
const wanted = process.argv.slice(2).join(" ");
const words = wanted.split(" ");

/** Each benchmark is loaded on demand, because some need the servers' settings in the environment. */
const reports: Record<string, () => Promise<void>> = {
  growth: async () => (await import("./growth.ts")).reportGrowth(words.slice(1).join(" ")),
  neighbours: async () => (await import("./neighbours.ts")).reportNeighbours(words.slice(1).join(" ")),
  stream: async () => (await import("./streams.ts")).reportStreams(),
  "sign-in": async () => (await import("./sign-in.ts")).reportSignIn(),
  uploads: async () => (await import("./uploads.ts")).reportUploads(),
  "index-build": async () => (await import("./index-build.ts")).reportIndexBuild(),
  idempotency: async () => (await import("./idempotency.ts")).reportIdempotency(),
  "api-keys": async () => (await import("./api-keys.ts")).reportApiKeys(),
  webhooks: async () => (await import("./webhooks.ts")).reportWebhooks(),
  images: async () => (await import("./images.ts")).reportImages(),
  sse: async () => (await import("./sse.ts")).compare(),
  "query plans": () => withServices(testOfPlans),
  "limit plans": () => withServices(async () => (await import("./limit-plans.ts")).reportLimitPlans()),
};

async function withServices(report: () => Promise<void>): Promise<void> {
  const services = await ensureServices();
  try {
    await report();
  } finally {
    await services.stop();
  }
}

async function testOfPlans(): Promise<void> {
  const tests = Bun.spawn(["bun", "test", "--timeout=3600000", "test/core/plans/query-plans.test.ts"], {
    cwd: join(import.meta.dir, "../../.."),
    env: { ...process.env, BENCH_PLANS: "1" },
    stdout: "inherit",
    stderr: "inherit",
  });
  await tests.exited;
}

const report = reports[wanted] ?? reports[words[0] ?? ""];
await (report ?? (async () => (await import("./requests.ts")).reportRequests(wanted)))();
process.exit(0);
