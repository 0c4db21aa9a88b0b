import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { jobKinds } from "../../../src/app/jobs.ts";
import { createDatabase } from "../../../src/dev/postgres.ts";
import { migrate, newestMigration } from "../../../src/platform/db/migrations.ts";
import { race } from "../../support/race.ts";

const MIGRATE = join(import.meta.dir, "../../../src/migrate.ts");

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

async function runMigrate(databaseUrl: string | undefined) {
  const child = Bun.spawn(["bun", MIGRATE], {
    env: { PATH: process.env.PATH, ...(databaseUrl && { DATABASE_URL: databaseUrl }) },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, output, errors };
}

test("several that migrate one empty database at once all succeed, and each migration is applied once", async () => {
  const url = await emptyDatabase();
  const runs = await race(4, () => runMigrate(url));
  expect(runs.map(({ code, errors }) => ({ code, errors }))).toEqual(
    runs.map(() => ({ code: 0, errors: "" })),
  );

  const applied = await withDatabase(url, (sql) => sql`SELECT name FROM migrations ORDER BY id`);
  const names = applied.map(({ name }: { name: string }) => name);
  expect(names).toEqual([...new Set<string>(names)].sort());
  expect(names.at(-1)).toBe(newestMigration());
  const printed = runs
    .flatMap(({ output }) => output.split("\n"))
    .filter((line) => line.startsWith("migrated "));
  expect(printed.sort()).toEqual(names.map((name: string) => `migrated ${name}`));
  const queues = await withDatabase(
    url,
    (sql) => sql`SELECT name FROM pgboss.queue WHERE name NOT LIKE '\\_\\_%'`,
  );
  expect(queues.map(({ name }: { name: string }) => name).sort()).toEqual(
    jobKinds.map(({ queue }) => queue).sort(),
  );

  const again = await runMigrate(url);
  expect([again.code, again.output]).toEqual([0, "the schema was up to date\nthe job queue is up to date\n"]);
});

test("a migration that fails leaves the earlier ones, and nothing of itself", async () => {
  const url = await emptyDatabase();
  const directory = await mkdtemp(join(tmpdir(), "migrations-"));
  try {
    await Bun.write(join(directory, "0001_first.sql"), "CREATE TABLE first (id int);");
    await Bun.write(
      join(directory, "0002_second.sql"),
      "CREATE TABLE second (id int); INSERT INTO first VALUES (1); SELECT 1/0;",
    );
    await Bun.write(join(directory, "0003_third.sql"), "CREATE TABLE third (id int);");
    const error = await migrate(url, directory).catch((error) => error);
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
    expect(await migrate(url, directory)).toEqual(["0002_second", "0003_third"]);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("without a database it ends with an error code", async () => {
  expect((await runMigrate(undefined)).code).toBe(1);
  expect((await runMigrate("postgres://nobody:nothing@127.0.0.1:1/none")).code).toBe(1);
});
