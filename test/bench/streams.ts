import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SQL } from "bun";
import { SignJWT } from "jose";
import { migrateAll } from "../../src/app/migrate.ts";
import { startInbox } from "../../src/dev/inbox.ts";
import { createDatabase, startPostgres } from "../../src/dev/postgres.ts";
import { spawnInstances } from "../support/cluster.ts";
import { environmentFor } from "../support/environment.ts";
import { openReaders } from "./stream-readers.ts";

const USERS = 500;
const STREAMS_EACH = 10;
const NOTIFICATIONS = 1_000;
const PER_SECOND = Number(process.env.BENCH_STREAM_RATE ?? 200);
const ROUNDS = Number(process.env.BENCH_STREAM_ROUNDS ?? 3);

type Target = { url: string; pid: number; stop(): Promise<unknown> };
type Kind = { name: string; start(): Promise<Target>; headers: Record<string, string>[] };
type Measure = Record<"p50" | "p99" | "lost" | "cpu" | "kilobytes" | "queries" | "counts" | "openMs", number>;

/**
 * 5,000 open streams on one instance, 1,000 notifications spread over them, each written and announced in one
 * statement as another instance would: how long until each of ten readers has it, and what that costs. Each round
 * starts the service and the floors anew, in turns. Client and server need a file descriptor for each stream.
 */
export async function reportStreams(): Promise<void> {
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    shared_preload_libraries: "pg_stat_statements",
  };
  const postgres = await startPostgres({ dataDir: null, settings });
  const url = await createDatabase(postgres.url, "streams");
  await migrateAll(url);
  const sql = new SQL({ url, max: 10 });
  await sql`CREATE EXTENSION pg_stat_statements`;
  const inbox = await startInbox({ webPort: null });
  const environment = environmentFor(url, inbox.smtpPort);
  const users: string[] = await seedUsers(sql);
  const tokens = await Promise.all(users.map((id) => tokenFor(id, environment)));
  const each = (name: string, values: string[]) =>
    values.flatMap((value) => Array.from({ length: STREAMS_EACH }, () => ({ [name]: value })));

  const service = async () => {
    const [instance] = await spawnInstances(1, environment);
    if (instance === undefined) throw new Error("No instance");
    return instance;
  };
  const bearers = tokens.map((token) => `Bearer ${token}`);
  const kinds: Kind[] = [
    { name: "service", start: service, headers: each("authorization", bearers) },
    { name: "bare fan-out", start: () => floor(url, "no"), headers: each("x-user", users) },
    { name: "bare, a count for each", start: () => floor(url, "yes"), headers: each("x-user", users) },
  ];
  const measures = new Map<string, Measure[]>(kinds.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const kind of kinds) measures.get(kind.name)?.push(await measure(kind, sql, users));

  console.log(
    `${USERS * STREAMS_EACH} streams, ${NOTIFICATIONS} notifications at ${PER_SECOND}/s to ${STREAMS_EACH} streams each (medians of ${ROUNDS} rounds)`,
  );
  for (const [name, ofKind] of measures) {
    const of = (key: keyof Measure) => median(ofKind.map((one) => one[key]));
    console.log(
      `  ${name.padEnd(23)} p50 ${of("p50").toFixed(2)} ms, p99 ${of("p99").toFixed(2)} ms, CPU ${of("cpu").toFixed(1)} µs a delivery, ${of("kilobytes").toFixed(1)} KB a stream (aim < 12), lost ${Math.max(...ofKind.map(({ lost }) => lost))}, ${of("queries")} count queries, ${of("counts")} counts told, opened in ${of("openMs").toFixed(0)} ms`,
    );
  }
  await sql.close();
  await inbox.stop();
  await postgres.stop();
}

async function measure(kind: Kind, sql: SQL, users: string[]): Promise<Measure> {
  const target = await kind.start();
  // What the first requests load stays loaded.
  await (await openReaders(target.url, kind.headers.slice(0, 200))).close();
  const before = await kilobytes(target.pid);
  const opening = performance.now();
  const readers = await openReaders(target.url, kind.headers);
  const openMs = performance.now() - opening;
  await Bun.sleep(3_000);
  const after = await kilobytes(target.pid);

  await sql`SELECT pg_stat_statements_reset()`;
  const [cpu, counts] = [await cpuSeconds(target.pid), readers.counts()];
  const sent = await notifyUsers(sql, users);
  await Bun.sleep(1_500);
  const used = (await cpuSeconds(target.pid)) - cpu;
  const [{ calls }] = await sql`
    SELECT COALESCE(sum(calls), 0)::int AS calls FROM pg_stat_statements
    WHERE query LIKE '%count(*)%' AND query LIKE '%read_at IS NULL%'`;
  await readers.close();
  await target.stop();

  const deliveries = NOTIFICATIONS * STREAMS_EACH;
  const times = readers.arrivals
    .map(({ id, at }) => at - (sent.get(id) ?? 0))
    .sort((one, other) => one - other);
  return {
    p50: times[Math.floor(times.length * 0.5)] ?? Number.NaN,
    p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
    lost: deliveries - readers.arrivals.length,
    cpu: (used / deliveries) * 1e6,
    kilobytes: (after - before) / kind.headers.length,
    queries: calls,
    counts: readers.counts() - counts,
    openMs,
  };
}

/** Writes and announces at an even pace; answers when each was begun. */
async function notifyUsers(sql: SQL, users: string[]): Promise<Map<string, number>> {
  const sent = new Map<string, number>();
  const written: Promise<unknown>[] = [];
  const started = performance.now();
  for (let nth = 0; nth < NOTIFICATIONS; nth += 1) {
    const due = started + (nth * 1_000) / PER_SECOND;
    if (due > performance.now()) await Bun.sleep(due - performance.now());
    const id = crypto.randomUUID();
    const userId = users[(nth * 7) % users.length] ?? "";
    sent.set(id, performance.now());
    written.push(
      sql`WITH written AS (INSERT INTO notifications (id, user_id, type, data) VALUES (${id}, ${userId}, 'TEST', '{}'))
          SELECT pg_notify('notifications', ${`${userId} ${id}`})`.execute(),
    );
  }
  await Promise.all(written);
  return sent;
}

async function floor(url: string, counts: "yes" | "no"): Promise<Target> {
  const child = Bun.spawn(["bun", join(import.meta.dir, "stream-floor.ts")], {
    env: { ...process.env, DATABASE_URL: url, COUNTS: counts },
    stdout: "pipe",
  });
  const { value } = await child.stdout.getReader().read();
  const stop = () => {
    child.kill();
    return child.exited;
  };
  return { url: JSON.parse(new TextDecoder().decode(value)).url, pid: child.pid, stop };
}

async function seedUsers(sql: SQL): Promise<string[]> {
  const rows = await sql`
    INSERT INTO users (email, first_name, last_name, language, email_verified_at)
    SELECT 'reader-' || n || '@example.com', 'Ada', 'Lovelace', 'EN', now() FROM generate_series(1, ${USERS}::int) n
    RETURNING id`;
  return rows.map(({ id }: { id: string }) => id);
}

/** A token as a sign-in would have given. */
const tokenFor = (userId: string, { APP_URL, JWT_SECRET }: Record<string, string | undefined>) =>
  new SignJWT({
    sid: crypto.randomUUID(),
    isPlatformAdmin: false,
    organization: null,
    roles: [],
    permissions: [],
    unitGrants: [],
  })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(userId)
    .setIssuer(APP_URL ?? "")
    .setAudience("api")
    .setIssuedAt()
    .setExpirationTime("15m")
    .sign(new TextEncoder().encode(JWT_SECRET));

const kilobytes = async (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]);

/** CPU time that a process has used, all threads, in seconds: Linux counts it in hundredths. */
async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const median = (values: number[]) =>
  values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
