import { afterAll } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { migrateAll } from "../../src/app/migrate.ts";
import { startInbox } from "../../src/dev/inbox.ts";
import { createDatabase, startPostgres } from "../../src/dev/postgres.ts";
import { Caller } from "./caller.ts";
import { START_TIMEOUT, until } from "./cluster.ts";
import { environmentFor } from "./environment.ts";
import { alive, childrenOf } from "./processes.ts";
import { allowSlowTests } from "./slow-tests.ts";

type OwnPostgres = Awaited<ReturnType<typeof startServer>>;
let started: Promise<OwnPostgres> | undefined;

/**
 * Returns a PostgreSQL that a test file can stop, freeze and restart. The files that run in one test process use the same one, which
 * ends with the test run.
 */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  allowSlowTests();
  started ??= startServer();
  const server = await started;
  afterAll(async () => {
    server.thaw();
    await server.start();
  });
  return server;
}

async function startServer() {
  // PostgreSQL runs with synchronous commits, because committed data must survive an immediate shutdown.
  const settings = { fsync: "off", synchronous_commit: "on", max_connections: "200" };
  const postgres = await startPostgres({ dataDir: null, settings });
  let template: Promise<string> | undefined;
  const makeTemplate = async () => {
    const name = `test_${process.pid}_template`;
    await migrateAll(await createDatabase(postgres.url, name));
    return name;
  };
  const frozen: number[] = [];
  let isRunning = true;

  return {
    /** Creates a database; returns its URL. */
    async database({ migrated = true } = {}) {
      if (migrated) template ??= makeTemplate();
      const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
      return createDatabase(postgres.url, name, migrated ? await template : undefined);
    },
    url: postgres.url,
    /** Freezes all processes of the server (SIGSTOP): its sockets stay open without responding. */
    freeze() {
      const stop = (pid: number) => {
        process.kill(pid, "SIGSTOP");
        frozen.push(pid);
      };
      stop(postgres.pid);
      for (const pid of childrenOf(postgres.pid)) stop(pid);
    },
    thaw() {
      for (const pid of frozen.splice(0)) process.kill(pid, "SIGCONT");
    },
    async stop(mode: "fast" | "immediate") {
      const { pid } = postgres;
      isRunning = false;
      process.kill(pid, mode === "fast" ? "SIGINT" : "SIGQUIT");
      await until(() => (alive([pid]).length === 0 ? true : null));
    },
    /** Starts the server again, unless it is running. */
    async start() {
      if (!isRunning) await postgres.restart();
      isRunning = true;
    },
  };
}

export type Timed<T> = T & { ms: number };

export async function timed<T extends object>(work: Promise<T>): Promise<Timed<T>> {
  const start = performance.now();
  return Object.assign(await work, { ms: performance.now() - start });
}

/** The delay before the first readiness check, because its result is cached for two seconds. */
const READY_AFTER_MS = 400;

type ApiOptions = {
  /** How long the instance waits for the database; by default as in production. */
  maxWaitMs?: number;
  /** Runs the program of `bun run start` instead of the one for tests. */
  isProgram?: boolean;
};

/** Starts an API process with a database that need not be available; it ends with the test file. */
export async function startApi(
  databaseUrl: string,
  overrides: Record<string, string> = {},
  { maxWaitMs, isProgram = false }: ApiOptions = {},
) {
  const inbox = await startInbox({ webPort: null });
  const program = isProgram ? "../../src/server.ts" : "instance.ts";
  const child = Bun.spawn(["bun", join(import.meta.dir, program)], {
    env: {
      PATH: process.env.PATH,
      ...environmentFor(databaseUrl, inbox.smtpPort),
      LOG_LEVEL: "info",
      ...(maxWaitMs !== undefined && { TEST_MAX_WAIT_MS: String(maxWaitMs) }),
      ...overrides,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const log: string[] = [];
  const read = async (stream: ReadableStream<Uint8Array>) => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      log.push(...lines);
    }
  };
  void read(child.stdout);
  void read(child.stderr);
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    const code = await child.exited;
    await inbox.stop();
    return code;
  };
  afterAll(() => (child.exitCode === null ? stop("SIGKILL") : undefined));

  const listening = await until(() => {
    if (child.exitCode !== null) throw new Error(`The API ended: ${log.join("\n")}`);
    const line = log.find((line) => line.includes('"listening"'));
    return line === undefined ? null : (JSON.parse(line) as { url: string; metrics?: string });
  }, START_TIMEOUT);
  await Bun.sleep(READY_AFTER_MS);
  const url = listening.url.replace(/\/$/, "");
  const health = async (kind: "live" | "ready") => {
    const response = await fetch(`${url}/api/health/${kind}`);
    return { status: response.status, body: (await response.json()) as { checks: Record<string, string> } };
  };
  const database = new SQL({ url: databaseUrl, max: 2, connection: { application_name: "test" } });
  afterAll(() => database.close({ timeout: 0 }));

  const api = {
    url,
    metricsUrl: listening.metrics,
    child,
    log,
    inbox,
    stop,
    health,
    untilReady: () =>
      until(async () => ((await health("ready")).status === 200 ? true : null), START_TIMEOUT),
    async sql<Row = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
      return [...(await database.unsafe(text, values))] as Row[];
    },
    /** Reserves a separate connection of the test. */
    reserve: () => database.reserve(),
    register(email: string) {
      const body = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
      return new Caller(url).post("/api/auth/register", body);
    },
    /** Creates a signed-in user, verified without the mailed link; on a busy machine it may take several attempts. */
    person: () =>
      until(async () => {
        const account = { email: `person-${crypto.randomUUID()}@example.com`, password: "wide blue yonder" };
        if ((await api.register(account.email)).status !== 202) return null;
        await api.sql("UPDATE users SET email_verified_at = now() WHERE email = $1", [account.email]);
        const caller = new Caller(url, account);
        return (await caller.login()).status === 200 ? caller : null;
      }, START_TIMEOUT),
    /** Counts the connections of the service's pool by state, as PostgreSQL reports them. */
    connections: () =>
      api.sql<{ state: string; count: number }>(
        `SELECT state, count(*)::int AS count FROM pg_stat_activity
         WHERE application_name = 'api' AND datname = current_database() GROUP BY state`,
      ),
  };
  return api;
}

export type Api = Awaited<ReturnType<typeof startApi>>;
