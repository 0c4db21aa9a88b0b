import { afterAll } from "bun:test";
import { SQL } from "bun";
import { readConfig } from "../../src/app/config.ts";
import { type Running, startServer } from "../../src/app/server.ts";
import { type Inbox, startInbox } from "../../src/dev/inbox.ts";
import type { Timing } from "../../src/features/notifications/timing.ts";
import { createApiRole } from "./api-role.ts";
import { type ApiResponse, Caller } from "./caller.ts";
import { spawnInstances, untilReady } from "./cluster.ts";
import { type EdgeInstance, startEdgeInstance } from "./edge.ts";
import { type Environment, environmentFor } from "./environment.ts";
import { JobDrain } from "./jobs.ts";
import { cheapHash } from "./passwords.ts";
import { allowSlowTests } from "./slow-tests.ts";

/** The deployment of services behind nginx and other real parts, which `bun run proof cluster` sets. */
const deployment = process.env.TEST_DEPLOYMENT ? await import("../proof/cluster/deployment.ts") : null;

/** `databaseUrl` is a migrated database on another server than the shared one. */
type Options = {
  keep?: boolean;
  asApiRole?: boolean;
  keepsHashes?: boolean;
  databaseUrl?: string;
  timing?: Timing;
  maxUserIdsInFilter?: number;
  idleSeconds?: number;
  webFolder?: string;
  maxWaitMs?: number;
  providerTimeoutMs?: number;
};

/** How long requests wait for the database. The default would cause 503 responses on a busy machine. */
const TIMEOUT_MS = 60_000;
/** The timeout of calls to the payment provider. */
const PROVIDER_MS = 25_000;

/** The databases of files that have ended. The next one of this process drops them, so that their memory is used again. */
const unused: string[] = [];

async function newDatabase(): Promise<string> {
  const { url, template } = JSON.parse(process.env.TEST_CLUSTER_URL ?? "{}");
  const sql = new SQL({ url, max: 1 });
  for (const name of unused.splice(0)) await sql.unsafe(`DROP DATABASE "${name}" WITH (FORCE)`);
  const name = template.replace("template", crypto.randomUUID().replaceAll("-", ""));
  // A third of the time that the default takes, which writes each page to the WAL.
  await sql.unsafe(`CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY FILE_COPY`);
  await sql.close();
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/**
 * Starts a separate service for a test file: database, mail inbox and API over HTTP, with functions for test
 * accounts. It stops after the file unless `keep` is true. With `asApiRole`, or TEST_API_ROLE=true, it connects as a
 * role that owns nothing.
 */
export async function startService(
  overrides: Environment = {},
  {
    keep = false,
    databaseUrl: given,
    asApiRole = process.env.TEST_API_ROLE === "true",
    maxWaitMs = TIMEOUT_MS,
    providerTimeoutMs = PROVIDER_MS,
    ...options
  }: Options = {},
): Promise<Service> {
  const databaseUrl = given ?? (await newDatabase());
  const inbox = await startInbox({ webPort: null });
  const apiRole = asApiRole ? await createApiRole(databaseUrl) : null;
  const environment: Environment = {
    ...environmentFor(apiRole?.url ?? databaseUrl, inbox.smtpPort),
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "fatal",
    ...deployment?.environmentOf(databaseUrl),
    TEST_MAX_WAIT_MS: String(maxWaitMs),
    TEST_PROVIDER_TIMEOUT_MS: String(providerTimeoutMs),
    ...overrides,
  };
  const { config, problems } = readConfig(environment);
  if (config === null) throw new Error(problems.join("\n"));
  // Readiness is not cached, so that a test sees a failure or recovery at once.
  const waits = { maxWaitMs, providerTimeoutMs };
  const start = () =>
    startServer(config, { runJobs: false, readinessMs: 0, keepsHashes: true, ...waits, ...options });
  const running = await start();
  const deployed = await deployment?.putBehindNginx(running, start);
  // `bun run test:edge`: workerd serves the requests, and this instance runs the jobs.
  const bundle = process.env.TEST_EDGE;
  const edge = bundle ? await startEdgeInstance(bundle, environment, { reachesInside: true }) : null;
  const service = new Service(environment, deployed ?? running, inbox, databaseUrl, edge);
  await service.untilReady();
  if (!keep) {
    afterAll(async () => {
      await service.stop();
      await apiRole?.drop();
      if (given === undefined) unused.push(new URL(databaseUrl).pathname.slice(1));
    });
    allowSlowTests();
  }
  return service;
}

/** The shared services of this process, by their configuration. */
const shared = new Map<string, Promise<Service>>();

/**
 * Returns the service with these overrides that all test files of this process share, because starting one takes longer than
 * many a file. All of them have one database: such a file expects rows of others, starts no processes, and changes neither the
 * schema nor the statistics. They have one address too: such a file makes few calls that fail, because limits count these.
 */
export async function sharedService(overrides: Environment = {}): Promise<Service> {
  allowSlowTests();
  // Processes of a deployment and of workerd would not end with the test process.
  if (deployment !== null || process.env.TEST_EDGE) return startService(overrides);
  const service = await sharedBy(overrides);
  if (cleanedFor !== Bun.main) {
    cleanedFor = Bun.main;
    // Platform administrators of earlier files would be told of what this file does, and jobs of theirs would run in its tests.
    await service.sql("UPDATE users SET is_platform_admin = false WHERE is_platform_admin");
    await service.sql("DELETE FROM pgboss.job WHERE state < 'active'");
  }
  return service;
}

/** The test file for which the shared database was cleaned last. */
let cleanedFor = "";

function sharedBy(overrides: Environment): Promise<Service> {
  const key = JSON.stringify(overrides);
  const started = shared.get(key);
  if (started !== undefined) return started;
  const service = startShared(overrides);
  shared.set(key, service);
  // The next file tries again.
  service.catch(() => shared.delete(key));
  return service;
}

async function startShared(overrides: Environment): Promise<Service> {
  const database = Object.keys(overrides).length > 0 && { databaseUrl: (await sharedBy({})).databaseUrl };
  return startService(overrides, { keep: true, ...database });
}

type PersonDetails = { email?: string; password?: string; language?: "el" | "en" };

const PASSWORD = "wide blue yonder";
export class Service {
  private readonly database: SQL;
  private readonly jobs: JobDrain;
  private draining: Promise<unknown> = Promise.resolve();
  private readonly instances: { stop(): Promise<void> }[] = [];

  constructor(
    readonly environment: Environment,
    readonly running: Running,
    readonly inbox: Inbox,
    readonly databaseUrl: string,
    private readonly edge: EdgeInstance | null = null,
  ) {
    this.database = new SQL({ url: databaseUrl, max: 4 });
    this.jobs = new JobDrain(databaseUrl, running);
  }

  get url() {
    return this.edge?.url ?? this.running.url;
  }

  /** Returns a caller who has not signed in. */
  anonymous(url = this.url): Caller {
    return new Caller(url);
  }

  /**
   * Creates a verified account and signs in. The account is as after registration, but inserted with a cheap password
   * hash: the routes are many times slower, and have their own tests.
   */
  async person({
    email = uniqueEmail(),
    password = PASSWORD,
    language = "en",
  }: PersonDetails = {}): Promise<Caller> {
    await this.sql(
      `WITH made AS (
         INSERT INTO users (email, password_hash, first_name, last_name, language, email_verified_at)
         VALUES ($1, $2, 'Ada', 'Lovelace', upper($3)::language, now()) RETURNING id)
       INSERT INTO notifications (user_id, type, data) SELECT id, 'WELCOME', '{}' FROM made`,
      [email, await cheapHash(password), language],
    );
    const caller = new Caller(this.url, { email, password });
    expectStatus(await caller.login(), 200);
    return caller;
  }

  /** Creates a verified account through the API with all side effects, and signs in. */
  async registeredPerson(details: PersonDetails = {}): Promise<Caller> {
    const caller = await this.unverifiedPerson(details);
    const { token } = await this.linkTo(caller.email, "/verify-email");
    expectStatus(await caller.post("/api/auth/verify-email", { token }), 204);
    expectStatus(await caller.login(), 200);
    return caller;
  }

  /** Registers an account, whose verification mail is in the inbox. */
  async unverifiedPerson(details: PersonDetails = {}): Promise<Caller> {
    const { email = uniqueEmail(), password = PASSWORD } = details;
    const caller = new Caller(this.url, { email, password });
    const body = {
      email,
      password,
      firstName: "Ada",
      lastName: "Lovelace",
      ...(details.language && { language: details.language }),
    };
    expectStatus(await caller.post("/api/auth/register", body), 202);
    return caller;
  }

  /** Creates a platform administrator and signs in. */
  async platformAdmin(): Promise<Caller> {
    const admin = await this.person();
    await this.sql("UPDATE users SET is_platform_admin = true WHERE email = $1", [admin.email]);
    await admin.login();
    return admin;
  }

  /** Returns the mails to an address, after running all queued jobs. */
  async mailTo(email: string) {
    await this.drain();
    return this.inbox.mailsTo(email);
  }

  /** Returns the newest link with this path in the mails to an address. */
  async linkTo(email: string, path: string): Promise<{ url: string; token: string }> {
    const links = (await this.mailTo(email))
      .flatMap((mail) => mail.links)
      .filter((link) => new URL(link).pathname.endsWith(path));
    const url = links.at(-1);
    if (url === undefined) throw new Error(`No ${path} link was mailed to ${email}`);
    return { url, token: new URL(url).searchParams.get("token") ?? "" };
  }

  /** Runs all queued jobs, including those that they queue; waits for jobs that other processes have fetched. */
  drain(): Promise<void> {
    // Sequentially, because a concurrent second drain would find no jobs while the first is running them.
    const drained = this.draining.then(() => this.drainNow());
    this.draining = drained.catch(() => {});
    return drained;
  }

  private async drainNow(): Promise<void> {
    do await this.jobs.drain();
    while (this.instances.length > 0 && (await this.isWorkLeft()));
  }

  private async isWorkLeft(): Promise<boolean> {
    await Bun.sleep(10);
    // Jobs of pg-boss itself are run by instances with schedules.
    const left = `SELECT FROM pgboss.job
      WHERE state IN ('created', 'active') AND start_after <= now() AND name NOT LIKE '\\_\\_pgboss\\_\\_%' LIMIT 1`;
    return (await this.sql(left)).length > 0;
  }

  async sql<Row = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    return [...(await this.database.unsafe(text, values))] as Row[];
  }

  /** Moves all timestamps of matching rows into the past. */
  async age(
    table: string,
    where: Record<string, unknown>,
    by: { days?: number; hours?: number; minutes?: number; seconds?: number },
  ) {
    const columns = await this.sql<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name = $1 AND data_type LIKE 'timestamp%'`,
      [table],
    );
    const interval = Object.entries(by)
      .map(([unit, amount]) => `${amount} ${unit}`)
      .join(" ");
    const set = columns.map(({ name }) => `${name} = ${name} - interval '${interval}'`).join(", ");
    const keys = Object.keys(where);
    const condition = keys.map((key, index) => `${key} = $${index + 1}`).join(" AND ") || "true";
    await this.sql(`UPDATE ${table} SET ${set} WHERE ${condition}`, Object.values(where));
  }

  /** Starts further API processes with the same database; returns the processes. */
  async cluster(count: number, overrides: Environment = {}) {
    const instances = await spawnInstances(count, { ...this.environment, ...overrides });
    this.instances.push(...instances);
    return instances;
  }

  /**
   * Starts a service with the same database in this process, which stops after the file: for an order that the database
   * decides, and for other settings. A process of `cluster` loads all modules first.
   */
  beside(overrides: Environment = {}): Promise<Service> {
    return startService({ ...this.environment, ...overrides }, { databaseUrl: this.databaseUrl });
  }

  untilReady(url = this.url): Promise<unknown> {
    return untilReady(url);
  }

  async stop(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.stop()));
    await this.jobs.stop();
    await this.edge?.stop();
    await this.running.stop();
    await this.inbox.stop();
    await this.database.close();
  }
}

export const uniqueEmail = () => `person-${crypto.randomUUID()}@example.com`;

/** Throws with the whole response unless its status is the expected one. */
export function expectStatus(response: ApiResponse, status: number): ApiResponse {
  if (response.status !== status)
    throw new Error(`Expected ${status}: ${response.status} ${JSON.stringify(response.body)}`);
  return response;
}
