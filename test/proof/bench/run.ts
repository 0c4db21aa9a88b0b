/*
 * `bun run proof bench` finds work that costs more than it must, by comparing the service with a minimal server on a
 * dedicated PostgreSQL. Whatever is compared is measured in turns in one run, and figures are ratios, so that a slow or
 * busy machine affects all equally. Tables are in Markdown. docs/decisions/measurements.md has the latest results, and
 * what they mean.
 *
 *   bun run proof bench [words]             the service against a minimal server with the same responses (baseline/):
 *                                           requests, CPU, statements and latency of each kind of work (requests.ts)
 *   bun run proof bench stream              5,000 open event streams, against the same server (streams.ts)
 *   bun run proof bench neighbours [words]  lists of 1,000 rows beside 0 to 10^6 rows of other organizations
 *                                           (neighbours.ts); half an hour and 5 GB
 *
 * BENCH_ROUNDS (5) and BENCH_ROUND_MS (1500) are the number and length of measurements, BENCH_NEIGHBOURS
 * (0,1000,100000,1000000) the sizes of `neighbours`. CPU is read from /proc, so this needs Linux.
 */
const [first = "", ...words] = process.argv.slice(2);
if (first === "stream") await (await import("./streams.ts")).reportStreams();
else if (first === "neighbours") await (await import("./neighbours.ts")).reportNeighbours(words.join(" "));
else await (await import("./requests.ts")).reportRequests([first, ...words].join(" "));
process.exit(0);

export {};
