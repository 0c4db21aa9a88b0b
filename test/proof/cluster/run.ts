import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startPostgres } from "../../../src/dev/postgres.ts";
import { startReplica } from "../../support/replica.ts";
import type { Deployment } from "./deployment.ts";
import { fetchTools, startPgBouncer } from "./parts.ts";

/*
 * `bun run proof cluster [files]` finds what works only with one instance, without a pooler, or without a replica. It
 * runs the tests with the services of each file deployed as in production. That is PostgreSQL with a streaming replica,
 * PgBouncer in transaction mode in front of both, and nginx in front of three instances. By default runs all files that
 * start a service, except those in excluded.yaml.
 */

const TESTS = join(import.meta.dir, "../..");
const FOLDERS = ["client", "core", "features"];

async function allFiles(): Promise<string[]> {
  const reasons = Bun.YAML.parse(await Bun.file(join(import.meta.dir, "excluded.yaml")).text());
  const excluded = Object.keys(reasons as Record<string, string>);
  const files = FOLDERS.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.test.ts`).scanSync(TESTS)]);
  const unknown = excluded.filter((file) => !files.includes(file));
  if (unknown.length > 0) throw new Error(`excluded.yaml names files that do not exist: ${unknown}`);
  console.log(`${files.length - excluded.length} files; ${excluded.length} are left out, see excluded.yaml`);
  return files.filter((file) => !excluded.includes(file)).map((file) => `test/${file}`);
}

const chosen = process.argv.slice(2);
const files = chosen.length > 0 ? chosen : await allFiles();

const SETTINGS = { fsync: "off", full_page_writes: "off", max_connections: "1000" };

const tools = await fetchTools(join(tmpdir(), "cluster-tools"));
const primary = await startPostgres({ dataDir: null, settings: SETTINGS });
const replica = await startReplica(primary, SETTINGS);
const poolers = await Promise.all([startPgBouncer(tools, primary.url), startPgBouncer(tools, replica.url)]);
const [ofPrimary, ofReplica] = poolers;
const deployment: Deployment = { primary: ofPrimary.url, replica: ofReplica.url };

const child = Bun.spawn(["bun", "run", "test", ...files], {
  env: { ...process.env, TEST_DATABASE_URL: primary.url, TEST_DEPLOYMENT: JSON.stringify(deployment) },
  stdio: ["ignore", "inherit", "inherit"],
});
// The tests are stopped before the parts of the deployment that they use.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
const code = await child.exited;

for (const [name, { url }] of Object.entries({ primary: ofPrimary, replica: ofReplica })) {
  const { transactions, statements } = await traffic(url);
  console.log(`PgBouncer before the ${name}: ${transactions} transactions, ${statements} statements`);
}
await Promise.all(poolers.map((pooler) => pooler.stop()));
await replica.stop();
await primary.stop();
process.exit(code);

/** Returns the traffic of a PgBouncer instance. */
async function traffic(url: string) {
  const client = new pg.Client({
    connectionString: Object.assign(new URL(url), { pathname: "/pgbouncer" }).href,
  });
  await client.connect();
  const { rows } = await client.query("SHOW STATS_TOTALS");
  await client.end();
  const sum = (column: string) => rows.reduce((all, row) => all + Number(row[column] ?? 0), 0);
  return { transactions: sum("xact_count"), statements: sum("query_count") };
}
