import { SQL } from "bun";
import { createDatabase, startPostgres } from "../../src/dev/postgres.ts";
import { migrateAll } from "../../src/migrate.ts";

/**
 * What a whole test run shares: one PostgreSQL with one migrated template database. It runs as a process of its
 * own that lives as long as its standard input is open, so it ends with the run however the run ends.
 */

/** Starts the shared services unless the environment names them already; gives back a way to stop them. */
export async function ensureServices(): Promise<() => Promise<void>> {
  if (process.env.TEST_CLUSTER_URL) return async () => {};
  const child = Bun.spawn(["bun", import.meta.path], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  child.unref();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  if (value === undefined) throw new Error("The test database did not start");
  process.env.TEST_CLUSTER_URL = new TextDecoder().decode(value).trim();
  return async () => {
    child.stdin.end();
    await child.exited;
  };
}

async function serve() {
  const external = process.env.TEST_DATABASE_URL;
  const postgres = external ? null : await startPostgres({ dataDir: null, settings: FAST_AND_FORGETFUL });
  const url = external ?? postgres?.url ?? "";
  // Named by process, so that runs against one outside server do not meet.
  const template = `test_${process.pid}_template`;
  await migrateAll(await createDatabase(url, template));
  console.log(JSON.stringify({ url, template }));

  for await (const _ of Bun.stdin.stream());
  await (postgres === null ? dropDatabases(url) : postgres.stop());
  process.exit(0);
}

const FAST_AND_FORGETFUL = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "400",
};

/** What this run made on a server that goes on. */
async function dropDatabases(url: string) {
  const sql = new SQL(url);
  const made =
    await sql`SELECT datname AS name FROM pg_database WHERE datname LIKE ${`test\\_${process.pid}\\_%`}`;
  for (const { name } of made) await sql.unsafe(`DROP DATABASE "${name}" WITH (FORCE)`);
  await sql.close();
}

if (import.meta.main) {
  // Ctrl-C reaches the whole process group; the end of standard input is what counts.
  process.on("SIGINT", () => {});
  await serve();
}
