import { readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob, SQL } from "bun";
import { migrateAll } from "../../src/app/migrate.ts";
import { createDatabase, startPostgres } from "../../src/dev/postgres.ts";
import { alive, childrenOf, killTree, signal } from "./processes.ts";

/**
 * The services that a test run shares: one PostgreSQL with a migrated template database, and one folder for temporary
 * files. A separate process owns them and ends with its standard input, so they always end with the run.
 */
export type Services = {
  /** Registers a process of the tests, which is killed with its descendants when the services end. */
  guard(pid: number): void;
  stop(): Promise<void>;
};

/** Starts the shared services unless the environment names running ones. */
export async function ensureServices(): Promise<Services> {
  if (process.env.TEST_CLUSTER_URL) return { guard() {}, async stop() {} };
  const child = Bun.spawn(["bun", import.meta.path], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    // The process runs in a separate session, so that Ctrl-C reaches only the tests.
    detached: true,
  });
  child.unref();
  const { value } = await child.stdout.getReader().read();
  if (value === undefined) throw new Error("The test database did not start");
  const cluster = new TextDecoder().decode(value).trim();
  process.env.TEST_CLUSTER_URL = cluster;
  process.env.TMPDIR = JSON.parse(cluster).folder;
  return {
    guard(pid) {
      child.stdin.write(`${pid}\n`);
      child.stdin.flush();
    },
    async stop() {
      child.ref();
      child.stdin.end();
      await child.exited;
    },
  };
}

async function serve() {
  const folder = await mkdtemp(join(tmpdir(), "test-run-"));
  // PostgreSQL and the tests may run as other system accounts.
  await chmod(folder, 0o755);
  process.env.TMPDIR = folder;
  const guarded = new Set<number>();
  let stopServer = async () => {};
  try {
    const external = process.env.TEST_DATABASE_URL;
    const postgres = external ? null : await startSharedPostgres(folder);
    const url = external ?? postgres?.url ?? "";
    stopServer = () => (postgres === null ? dropDatabases(url) : postgres.stop());
    // The name contains the process id, so that runs on the same external server do not conflict.
    const template = `test_${process.pid}_template`;
    await migrateAll(await createDatabase(url, template));
    console.log(JSON.stringify({ url, template, folder }));

    for await (const line of console) if (Number(line) > 0) guarded.add(Number(line));
  } finally {
    for (const pid of guarded) killTree(pid);
    await endServersBelow(folder);
    await stopServer();
    await rm(folder, { recursive: true, force: true });
  }
  process.exit(0);
}

const FOR_TESTS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  // Autovacuum would visit hundreds of databases, several per second, and change plans and statistics at random
  // times. Tests that depend on these run VACUUM and ANALYZE themselves.
  autovacuum: "off",
  max_wal_size: "256MB",
  // Each of thousands of connections maps these buffers when it begins and unmaps them when it ends.
  shared_buffers: "64MB",
  max_connections: "1500",
  // The log line has the database, by which `bun run proof race` finds its deadlocks.
  log_line_prefix: "%m [%p] %d ",
};

/** Hundreds of test databases need about this much memory; the tests themselves need as much again. */
const MEMORY_BYTES = 8 * 2 ** 30;

/** Whether the environment says where temporary files go. Then the server's files go there, too. */
const HAS_FOLDER = process.env.TMPDIR !== undefined;

/**
 * Starts the shared server, with its files in memory if the machine has enough. Each of hundreds of databases is 650
 * files, and creating and deleting them in memory takes a third of the CPU time that it takes on a disk.
 */
async function startSharedPostgres(folder: string) {
  const memory = await statfs("/dev/shm").catch(() => null);
  const isLarge = memory !== null && memory.bavail * memory.bsize >= MEMORY_BYTES;
  if (!HAS_FOLDER && isLarge && availableMemory() >= 2 * MEMORY_BYTES) process.env.TMPDIR = "/dev/shm";
  // Without passwords, whose verification is half of the time that a connection takes.
  const access = join(folder, "pg_hba.conf");
  await writeFile(access, "host all all 127.0.0.1/32 trust\nlocal all all trust\n");
  const postgres = await startPostgres({ dataDir: null, settings: { ...FOR_TESTS, hba_file: access } });
  process.env.TMPDIR = folder;
  return postgres;
}

/** Returns the bytes that the system can give to programs without swapping. */
const availableMemory = () =>
  1024 * Number(/^MemAvailable: *(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1]);

/** Stops every PostgreSQL server with data in this folder, also frozen ones; their data are lost. */
async function endServersBelow(folder: string) {
  for await (const lock of new Glob("*/cluster/data/postmaster.pid").scan({ cwd: folder, absolute: true })) {
    const pid = Number((await readFile(lock, "utf8").catch(() => "")).split("\n")[0]);
    if (!(pid > 0)) continue;
    const all = [pid, ...childrenOf(pid)];
    for (const one of all) signal(one, "SIGCONT");
    // SIGKILL would leave PostgreSQL's shared memory behind.
    signal(pid, "SIGQUIT");
    while (alive(all).length > 0) await Bun.sleep(20);
  }
}

/** Drops the databases that this run created on an external server. */
async function dropDatabases(url: string) {
  const sql = new SQL(url);
  const made =
    await sql`SELECT datname AS name FROM pg_database WHERE datname LIKE ${`test\\_${process.pid}\\_%`}`;
  for (const { name } of made) await sql.unsafe(`DROP DATABASE "${name}" WITH (FORCE)`);
  await sql.close();
}

if (import.meta.main) {
  // The process ends only when its standard input does.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => {});
  await serve();
}
