import { SQL } from "bun";
import { migrateAll } from "../../../src/app/migrate.ts";
import { createDatabase, startPostgres } from "../../../src/dev/postgres.ts";
import { until } from "../../support/cluster.ts";
import { createOrganization } from "../../support/organizations.ts";
import { startReplica } from "../../support/replica.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { bearer, request, runLoad } from "../bench/load.ts";
import { cpuSeconds, inTurns, median } from "../bench/stats.ts";

/*
 * `bun run proof cluster:measure` finds out whether a replica pays: how much CPU time it saves the primary, and what it
 * costs a list. Two services on one database, one of them with the replica, are measured in turns: first idle, and then
 * while others write. Each writer reads its own writes.
 */

const ROUNDS = 4;
const ROUND_MS = 3_000;
const READERS = 8;
const WRITERS = 4;

const primary = await startPostgres({ dataDir: null });
const databaseUrl = await createDatabase(primary.url, "service");
await migrateAll(databaseUrl);
const replica = await startReplica(primary);
const replicaUrl = Object.assign(new URL(replica.url), { pathname: "/service" }).href;
const options = { databaseUrl, keep: true };
const without = await startService({}, options);
const withReplica = await startService({ DATABASE_REPLICA_URL: replicaUrl }, options);
const ready = async () => (await withReplica.anonymous().get("/api/health/ready")).body.status === "ok";
await until(async () => ((await ready()) ? true : null));
// Several accounts and organizations read, because the number of concurrent lists is limited per account and
// organization.
const people = await Promise.all(
  Array.from({ length: READERS }, async () => {
    const { admin, id } = await createOrganization(without);
    await without.sql(
      `INSERT INTO todos (organization_id, user_id, title) SELECT $1, u.id, 'todo ' || n
       FROM users u, generate_series(1, 200) n WHERE u.email = $2`,
      [id, admin.email],
    );
    return admin;
  }),
);
const there = new SQL({ url: replicaUrl, max: 1 });
const SCANS = "SELECT idx_scan + seq_scan AS scans FROM pg_stat_user_tables WHERE relname = 'todos'";
const scans = async () => Number((await there.unsafe(SCANS))[0].scans);

async function readFor(url: string) {
  const [cpu, scansBefore] = [cpuSeconds(primary.pid), await scans()];
  const clients = people.map(({ accessToken }) => ({
    next: () => request("GET", "/api/todos", bearer(accessToken ?? "")),
  }));
  const { requests, p50, p99 } = await runLoad(url, clients, ROUND_MS);
  const milliseconds = (cpuSeconds(primary.pid) - cpu) * 1_000;
  // Waits, because PostgreSQL reports its statistics with a delay.
  await Bun.sleep(1_500);
  return {
    requests,
    p50,
    p99,
    cpu: milliseconds / requests,
    scans: ((await scans()) - scansBefore) / requests,
  };
}

async function compare(title: string) {
  const sides = { without: () => readFor(without.url), with: () => readFor(withReplica.url) };
  console.log(title);
  for (const [name, rounds] of Object.entries(await inTurns(sides, ROUNDS))) {
    const of = (key: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[key])).toFixed(2);
    console.log(
      `  ${name.padEnd(8)} lists ${of("requests")}, p50 ${of("p50")} ms, p99 ${of("p99")} ms, CPU of the primary ${of("cpu")} ms, scans of the table on the replica per list ${of("scans")}`,
    );
  }
}

await compare("Nobody writes");

let isOver = false;
const counts = { writes: 0, missed: 0 };
const writers = Array.from({ length: WRITERS }, async () => {
  const { admin } = await createOrganization(without);
  for (let index = 0; !isOver; index += 1) {
    const title = `todo ${index}`;
    expectStatus(await admin.at(without.url).post("/api/todos", { title }), 201);
    const { data } = expectStatus(await admin.at(withReplica.url).get("/api/todos"), 200).body;
    counts.writes += 1;
    if (data[0]?.title !== title) counts.missed += 1;
  }
});
await compare(`${WRITERS} others write, and read each time what they wrote, through the other service`);
isOver = true;
await Promise.all(writers);
console.log(`  ${counts.writes} writes, ${counts.missed} missing in the list of the other service`);

await there.close();
await withReplica.stop();
await without.stop();
await replica.stop();
await primary.stop();
process.exit(counts.missed === 0 ? 0 : 1);
