import { openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { migrateAll } from "../../../src/app/migrate.ts";
import { freePort } from "../../../src/dev/postgres/launch.ts";
import { createDatabase, startPostgres } from "../../../src/dev/postgres.ts";
import { untilReady } from "../../support/cluster.ts";
import { environmentFor } from "../../support/environment.ts";
import { startSmtp } from "../../support/smtp.ts";
import { tokens } from "./baseline/tokens.ts";
import type { Database } from "./seed.ts";
import { cpuSeconds } from "./stats.ts";

/** A running server (the service or the baseline) with its own database. */
export type Target = { url: string; pid: number; databaseUrl: string; stop(): Promise<void> };
/**
 * Returns the totals so far: CPU seconds of the server and of PostgreSQL, and the number of statements that the
 * server sent.
 */
export type Counters = { cpu: number; postgres: number; statements: number };
/** A connection to the server's database, used to seed it. */
export type OwnDatabase = Database & { url: string };
export type Bench = Awaited<ReturnType<typeof startBench>>;

/** PostgreSQL's own query for checking a deferred foreign key at the commit. */
const DEFERRED_CHECK = "SELECT % FROM ONLY % FOR KEY SHARE OF x";

const SERVERS = { service: "../../../src/server.ts", baseline: "baseline/server.ts" };

/**
 * Starts a dedicated PostgreSQL, and the measured servers that use it. Commits are durable, unless no measured
 * request writes. PostgreSQL's own maintenance is switched off.
 */
export async function startBench({ isDurable = true } = {}) {
  const postgres = await startPostgres({
    dataDir: null,
    settings: {
      shared_preload_libraries: "pg_stat_statements",
      shared_buffers: "256MB",
      max_connections: "200",
      max_wal_size: "4GB",
      checkpoint_timeout: "30min",
      maintenance_work_mem: "256MB",
      autovacuum_naptime: "1h",
      ...(isDurable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
    },
  });
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const smtp = await startSmtp({ starttls: false });
  const admin = new SQL({ url: postgres.url, max: 1 });
  await admin`CREATE EXTENSION pg_stat_statements`;
  const databases: SQL[] = [];
  const running = new Set<Target>();

  const { JWT_SECRET = "", APP_URL = "" } = environmentFor("", smtp.port);
  const environment = (databaseUrl: string) => ({
    ...environmentFor(databaseUrl, smtp.port),
    JWT_ACCESS_TTL: "6h",
    STORAGE_DIR: folder,
    LOG_LEVEL: process.env.LOG_LEVEL ?? "info",
  });

  async function start(
    server: keyof typeof SERVERS,
    databaseUrl: string,
    variables: Record<string, string> = {},
  ): Promise<Target> {
    const port = freePort();
    const log = join(folder, `${server}-${port}.log`);
    const child = Bun.spawn(["bun", join(import.meta.dir, SERVERS[server])], {
      env: { PATH: process.env.PATH, ...environment(databaseUrl), ...variables, PORT: String(port) },
      stdin: "ignore",
      stdout: openSync(log, "w"),
      stderr: openSync(log, "a"),
    });
    const url = `http://127.0.0.1:${port}`;
    const ended = child.exited.then(async () => {
      throw new Error(`The ${server} ended: ${(await Bun.file(log).text()).slice(-2_000)}`);
    });
    await Promise.race([untilReady(url), ended]);
    ended.catch(() => {});
    const target = {
      url,
      pid: child.pid,
      databaseUrl,
      async stop() {
        running.delete(target);
        child.kill("SIGTERM");
        await child.exited;
      },
    };
    running.add(target);
    return target;
  }

  let stopping: Promise<void> | null = null;
  /** Stops everything once. An interruption and the end of the report wait for the same shutdown. */
  const stop = () => {
    stopping ??= stopAll();
    return stopping;
  };
  async function stopAll() {
    await Promise.all([...running].map((target) => target.stop()));
    await Promise.all([...databases, admin].map((sql) => sql.close()));
    await smtp.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
  for (const [name, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
    process.once(name, () => void stop().finally(() => process.exit(code)));

  return {
    start,
    stop,
    /** Signs access tokens that both the service and the baseline accept. */
    sign: tokens({ secret: JWT_SECRET, issuer: APP_URL, seconds: 6 * 3600 }).sign,
    /** Creates a database: migrated, or copied from another database that has no connections. */
    async database(name: string, template?: string): Promise<OwnDatabase> {
      const url = await createDatabase(postgres.url, name, template);
      if (template === undefined) await migrateAll(url);
      const sql = new SQL({ url, max: 4, idleTimeout: 1 });
      databases.push(sql);
      return { url, sql: async (text, values = []) => [...(await sql.unsafe(text, values))] };
    },
    /** Closes all connections to a database, so that it can be copied. */
    async release(name: string): Promise<void> {
      await admin`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = ${name}`;
    },
    postgresPid: postgres.pid,
    async counters({ pid, databaseUrl }: Target): Promise<Counters> {
      const [{ statements }] = await admin`
        SELECT COALESCE(sum(calls), 0)::float8 AS statements FROM pg_stat_statements
        WHERE dbid = (SELECT oid FROM pg_database WHERE datname = ${new URL(databaseUrl).pathname.slice(1)})
          AND query NOT LIKE ${DEFERRED_CHECK}`;
      return { statements, cpu: cpuSeconds(pid), postgres: cpuSeconds(postgres.pid) };
    },
  };
}
