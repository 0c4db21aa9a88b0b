import { readdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

const DIRECTORY = join(import.meta.dir, "../../../migrations");
const OLDEST_SERVER = 180_000;

/** The name of the newest migration of this build. */
export function newestMigration(): string {
  const files = readdirSync(DIRECTORY)
    .filter((file) => file.endsWith(".sql"))
    .sort();
  return files.at(-1)?.replace(/\.sql$/, "") ?? "";
}

/**
 * Migrates the database, each migration in its own transaction. Concurrent runs wait for each other on an advisory
 * lock. Returns the names of the migrations that it ran.
 * @throws when the server is older than PostgreSQL 18, or when a migration fails.
 */
export async function migrate(databaseUrl: string, directory = DIRECTORY): Promise<string[]> {
  // Loaded here, because the API asks this file only for the newest name.
  const { runner } = await import("node-pg-migrate");
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query("SELECT current_setting('server_version_num')::int AS version");
    if (rows[0].version < OLDEST_SERVER) throw new Error("PostgreSQL 18 or newer is required");
    const ran = await runner({
      dbClient: client,
      dir: directory,
      direction: "up",
      migrationsTable: "migrations",
      singleTransaction: false,
      checkOrder: true,
      advisoryLockMode: "wait",
      log: () => {},
    });
    return ran.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}
