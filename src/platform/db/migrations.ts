import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { MigrationBuilder } from "node-pg-migrate";
import pg from "pg";
import { LOCK_TIMEOUT, retryOnLockTimeout } from "./lock-timeout.ts";

/** A folder of migrations, and the table that records which of them have run. */
export type MigrationFolder = { directory: string; table: string };

const DIRECTORY = join(import.meta.dir, "../../../migrations");
const OURS: MigrationFolder = { directory: DIRECTORY, table: "migrations" };
/**
 * Migrations of a product that is built on this service, numbered separately. They run after the service's own
 * migrations.
 */
const PRODUCT: MigrationFolder = { directory: join(DIRECTORY, "product"), table: "product_migrations" };
const FOLDERS = [OURS, PRODUCT];

const OLDEST_SERVER = 180_000;
/**
 * How long a concurrent index build waits for locks. It waits for all open transactions, but blocks no other work.
 */
const CONCURRENT_LOCK_TIMEOUT = "60s";
const POLL_MS = 200;
const NO_TRANSACTION = /^\s*-- no-transaction\b/;

/** Returns the names of the migrations in a folder, in the order in which they run. */
const namesIn = ({ directory }: MigrationFolder): string[] =>
  existsSync(directory)
    ? readdirSync(directory)
        .filter((file) => file.endsWith(".sql"))
        .sort()
        .map((file) => file.replace(/\.sql$/, ""))
    : [];

/** Returns the name of the newest migration of this build. */
export const newestMigration = (): string => namesIn(OURS).at(-1) ?? "";

/** Returns the name of the product's newest migration, or null if it has none. */
export const newestProductMigration = (): string | null => namesIn(PRODUCT).at(-1) ?? null;

/**
 * Migrates the database, each migration in its own transaction. Concurrent runs wait for each other on an advisory
 * lock. Returns the names of the migrations that it ran.
 * @throws if the server is older than PostgreSQL 18, or if a migration fails
 */
export async function migrate(databaseUrl: string, folders = FOLDERS): Promise<string[]> {
  const ran: string[] = [];
  for (const folder of folders) {
    if (namesIn(folder).length === 0) continue;
    // After a lock timeout, migrations that ran before are committed and are not repeated.
    await retryOnLockTimeout(() => runFolder(databaseUrl, folder, ran));
  }
  return ran;
}

/** Adds the names of the migrations that ran to `ran`, even if a later one fails. */
async function runFolder(databaseUrl: string, folder: MigrationFolder, ran: string[]): Promise<void> {
  // node-pg-migrate is imported here, because the API imports this file only for the name of the newest migration.
  const { runner, PG_MIGRATE_LOCK_ID } = await import("node-pg-migrate");
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const begun: string[] = [];
  try {
    const { rows } = await client.query("SELECT current_setting('server_version_num')::int AS version");
    if (rows[0].version < OLDEST_SERVER) throw new Error("PostgreSQL 18 or newer is required");
    await waitForLock(client, PG_MIGRATE_LOCK_ID);
    await namesRun(client, folder);
    await runner({
      dbClient: client,
      dir: folder.directory,
      ignorePattern: "(?!.*\\.sql$).*",
      direction: "up",
      migrationsTable: folder.table,
      migrationLoaderStrategies: [{ extensions: [".sql"], loader: sqlLoader((name) => begun.push(name)) }],
      singleTransaction: false,
      // Checked above, with an error that says what to do.
      checkOrder: false,
      noLock: true,
      log: () => {},
    });
    ran.push(...begun);
  } catch (error) {
    ran.push(...begun.slice(0, -1));
    throw error;
  } finally {
    await client.end();
  }
}

/**
 * Takes the advisory lock that serializes migrations, until the connection ends. The lock is polled: a statement that
 * waits for it would hold a snapshot, and CREATE INDEX CONCURRENTLY waits for every older snapshot, so the two would
 * deadlock.
 */
async function waitForLock(client: pg.Client, lockId: number): Promise<void> {
  const isTaken = async () =>
    (await client.query("SELECT pg_try_advisory_lock($1) AS acquired", [lockId])).rows[0].acquired;
  while (!(await isTaken())) await setTimeout(POLL_MS);
}

/**
 * Returns the names of the migrations that the database has run, in their order.
 * @throws if the folder has another migration in the place of one that ran: its later ones are not written for that schema
 */
async function namesRun(client: pg.Client, folder: MigrationFolder): Promise<string[]> {
  const { rows } = await client.query("SELECT to_regclass($1) AS found", [folder.table]);
  if (rows[0].found === null) return [];
  const applied = await client.query<{ name: string }>(
    `SELECT name FROM ${folder.table} ORDER BY run_on, id`,
  );
  const ran = applied.rows.map(({ name }) => name);
  const names = namesIn(folder);
  const other = names.findIndex((name, index) => index < ran.length && name !== ran[index]);
  if (other >= 0)
    throw new Error(
      `The database has run the migration ${ran[other]}, and this version has ${names[other]} in its place. Databases from before version 1.0.0 are not upgraded: create a new database (docs/operate/deploy.md, "Migrations").`,
    );
  return ran;
}

/**
 * Lists all migrations, and whether they have run. Read-only.
 * @throws if the database has run other migrations
 */
export async function migrationStatus(databaseUrl: string, folders = FOLDERS) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const all: { name: string; hasRun: boolean }[] = [];
    for (const folder of folders) {
      const ran = await namesRun(client, folder);
      all.push(...namesIn(folder).map((name) => ({ name, hasRun: ran.includes(name) })));
    }
    return all;
  } finally {
    await client.end();
  }
}

/** Loads SQL files and adds lock timeouts. */
const sqlLoader = (onBegin: (name: string) => void) => (paths: string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const text = await readFile(path, "utf8");
      const up = (builder: MigrationBuilder) => {
        onBegin(basename(path, ".sql"));
        addSteps(builder, text);
      };
      return { id: path, filePaths: [path], actions: { up, down: false as const } };
    }),
  );

function addSteps(builder: MigrationBuilder, text: string): void {
  if (!NO_TRANSACTION.test(text)) {
    builder.sql(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    builder.sql(text);
    return;
  }
  builder.noTransaction();
  builder.sql(`SET lock_timeout = '${CONCURRENT_LOCK_TIMEOUT}'`);
  // One statement, because statements that are sent together run in one implicit transaction.
  builder.sql(text);
  builder.sql("RESET lock_timeout");
}
