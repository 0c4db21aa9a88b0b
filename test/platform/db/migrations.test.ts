import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { jobKinds } from "../../../src/app/jobs.ts";
import { createDatabase } from "../../../src/dev/postgres.ts";
import { migrate, migrationStatus, newestMigration } from "../../../src/platform/db/migrations.ts";
import { until } from "../../support/cluster.ts";
import { runHere, spawnCommand } from "../../support/commands.ts";
import { race } from "../../support/race.ts";

const emptyDatabase = () =>
  createDatabase(
    JSON.parse(process.env.TEST_CLUSTER_URL ?? "{}").url,
    `test_${crypto.randomUUID().replaceAll("-", "")}`,
  );

async function withDatabase<T>(url: string, work: (sql: SQL) => Promise<T>): Promise<T> {
  const sql = new SQL({ url, max: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.close();
  }
}

const runMigrate = (
  databaseUrl: string | undefined,
  options: string[] = [],
  environment: Record<string, string> = {},
) => runHere("migrate", options, { DATABASE_URL: databaseUrl, ...environment });

test("several processes that migrate one empty database concurrently succeed, and each migration runs once", async () => {
  const url = await emptyDatabase();
  const runs = await race(2, () => spawnCommand("migrate", [], { DATABASE_URL: url }));
  expect(runs.map(({ code, err }) => ({ code, err }))).toEqual(runs.map(() => ({ code: 0, err: "" })));

  const applied = await withDatabase(url, (sql) => sql`SELECT name FROM migrations ORDER BY id`);
  const names = applied.map(({ name }: { name: string }) => name);
  expect(names).toEqual([...new Set<string>(names)].sort());
  expect(names.at(-1)).toBe(newestMigration());
  const printed = runs.flatMap(({ out }) => out.split("\n")).filter((line) => line.startsWith("migrated "));
  expect(printed.sort()).toEqual(names.map((name: string) => `migrated ${name}`));
  const queues = await withDatabase(
    url,
    (sql) => sql`SELECT name FROM pgboss.queue WHERE name NOT LIKE '\\_\\_%'`,
  );
  expect(queues.map(({ name }: { name: string }) => name).sort()).toEqual(
    jobKinds.map(({ queue }) => queue).sort(),
  );

  const again = await runMigrate(url);
  expect([again.code, again.out]).toEqual([0, "the schema was up to date\nthe job queue is up to date\n"]);
});

test("a failed migration is rolled back completely, and earlier migrations stay", async () => {
  const url = await emptyDatabase();
  const directory = await mkdtemp(join(tmpdir(), "migrations-"));
  try {
    await Bun.write(join(directory, "0001_first.sql"), "CREATE TABLE first (id int);");
    await Bun.write(
      join(directory, "0002_second.sql"),
      "CREATE TABLE second (id int); INSERT INTO first VALUES (1); SELECT 1/0;",
    );
    await Bun.write(join(directory, "0003_third.sql"), "CREATE TABLE third (id int);");
    const error = await migrate(url, [{ directory, table: "migrations" }]).catch((error) => error);
    expect(error.message).toContain("division by zero");
    await withDatabase(url, async (sql) => {
      const tables = await sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;
      expect(tables.map(({ tablename }: { tablename: string }) => tablename)).toEqual([
        "first",
        "migrations",
      ]);
      expect(await sql`SELECT FROM first`).toHaveLength(0);
      expect((await sql`SELECT name FROM migrations`)[0]).toEqual({ name: "0001_first" });
    });

    await Bun.write(join(directory, "0002_second.sql"), "CREATE TABLE second (id int);");
    expect(await migrate(url, [{ directory, table: "migrations" }])).toEqual(["0002_second", "0003_third"]);
  } finally {
    await rm(directory, { recursive: true });
  }
});

/** Runs `work` with a temporary folder of migrations. */
async function withFolder<T>(
  files: Record<string, string>,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "migrations-"));
  try {
    for (const [name, text] of Object.entries(files)) await Bun.write(join(directory, name), text);
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

test("a migration that starts with -- no-transaction is one statement, which may build an index concurrently", async () => {
  const url = await emptyDatabase();
  const files = {
    "0001_table.sql": "CREATE TABLE things (id int, name text);",
    "0002_index.sql": `-- no-transaction
      -- Things are sorted by id.
      CREATE INDEX CONCURRENTLY things_by_id
        ON things (id);
      `,
  };
  await withFolder(files, async (directory) => {
    // Starts several processes: one that waits for the migration lock must not delay the index build.
    const runs = await race(3, () => migrate(url, [{ directory, table: "migrations" }]));
    expect(runs.flat().sort()).toEqual(["0001_table", "0002_index"]);
  });
  await withDatabase(url, async (sql) => {
    const valid = await sql`SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indisvalid
      AND indrelid = 'things'::regclass`;
    expect(valid.map(({ name }: { name: string }) => name)).toEqual(["things_by_id"]);
  });
});

test("a database with other migrations is refused and not changed, with a sentence that says what to do", async () => {
  const url = await emptyDatabase();
  await withDatabase(url, async (sql) => {
    await sql`CREATE TABLE migrations (id serial PRIMARY KEY, name text NOT NULL, run_on timestamp NOT NULL DEFAULT now())`;
    await sql`INSERT INTO migrations (name) VALUES ('0001_search'), ('0002_accounts'), ('0003_sign_in')`;
  });
  for (const option of [[], ["--status"], ["--dry-run"]]) {
    const { code, out, err } = await runMigrate(url, option);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^The database has run the migration 0002_accounts.* create a new database.*\n$/);
  }
  await withDatabase(url, async (sql) => {
    const tables = await sql`SELECT tablename FROM pg_tables WHERE schemaname IN ('public', 'pgboss')`;
    expect(tables.map(({ tablename }: { tablename: string }) => tablename)).toEqual(["migrations"]);
  });
});

test("a migration that waits for a table lock pauses to let other statements pass, and retries until it gets the lock", async () => {
  const url = await emptyDatabase();
  const files = {
    "0001_table.sql": "CREATE TABLE things (id int);",
    "0002_column.sql": "ALTER TABLE things ADD COLUMN name text;",
  };
  await withFolder({ "0001_table.sql": files["0001_table.sql"] }, (directory) =>
    migrate(url, [{ directory, table: "migrations" }]),
  );
  await withFolder(files, (directory) =>
    withDatabase(url, async (holder) => {
      await holder.unsafe("BEGIN; SELECT FROM things");
      const migrated = migrate(url, [{ directory, table: "migrations" }]);
      // While the migration waits for the table lock, all other statements on the table queue behind it. So it waits
      // two seconds, then pauses for one.
      await withDatabase(url, async (reader) => {
        // Other databases of the server may have waiting statements at any time.
        const isWaiting = async () =>
          (
            await reader`SELECT FROM pg_locks WHERE NOT granted AND relation = 'things'::regclass
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
          ).length > 0;
        await until(async () => ((await isWaiting()) ? true : null));
        await until(async () => ((await isWaiting()) ? null : true));
        expect(await reader`SELECT FROM things`).toHaveLength(0);
      });
      await holder.unsafe("COMMIT");
      expect(await migrated).toEqual(["0002_column"]);
    }),
  );
});

test("a product's own migrations run after those of this service, with their own numbers", async () => {
  const url = await emptyDatabase();
  await withFolder({ "0001_ours.sql": "CREATE TABLE ours (id int);" }, (ours) =>
    withFolder({ "0001_ours.sql": "CREATE TABLE theirs AS SELECT * FROM ours;" }, async (theirs) => {
      const folders = [
        { directory: ours, table: "migrations" },
        { directory: theirs, table: "product_migrations" },
      ];
      const pending = { name: "0001_ours", hasRun: false };
      expect(await migrationStatus(url, folders)).toEqual([pending, pending]);
      expect(await migrate(url, folders)).toEqual(["0001_ours", "0001_ours"]);
      expect(await migrate(url, folders)).toEqual([]);
      expect((await migrationStatus(url, folders)).map(({ hasRun }) => hasRun)).toEqual([true, true]);
    }),
  );
});

test("`bun run migrate --dry-run` and `--status` change nothing, and a direct database URL takes precedence over a pooler's", async () => {
  const url = await emptyDatabase();
  const nowhere = "postgres://nobody:nothing@127.0.0.1:1/none";
  const run = (...options: string[]) => runMigrate(nowhere, options, { DATABASE_LISTEN_URL: url });
  expect((await run("--dry-run")).out).toContain(`would migrate ${newestMigration()}`);
  expect((await run("--status")).out).toContain(`pending ${newestMigration()}`);
  await withDatabase(url, async (sql) => {
    expect(await sql`SELECT FROM pg_tables WHERE schemaname = 'public'`).toHaveLength(0);
  });
  expect((await run()).out).toContain(`migrated ${newestMigration()}`);
  expect((await run("--status")).out).toContain(`done ${newestMigration()}`);
  expect((await run("--dry-run")).out).toBe("the schema is up to date\n");
  expect((await run("--what")).code).toBe(1);
});

test("without a database `bun run migrate` exits with an error code", async () => {
  expect((await runMigrate(undefined)).code).toBe(1);
  expect((await runMigrate("postgres://nobody:nothing@127.0.0.1:1/none")).code).toBe(1);
});
