import pg from "pg";
import type { DatabaseConfig } from "../platform/db/config.ts";

const MAX_WAIT_MS = 10_000;

/**
 * Connects to the database once, before a command starts parts of the service that would retry their connections.
 * @throws the error of the server or the network, or an error if a table is missing
 */
export async function assertMigrated({ url }: DatabaseConfig): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: MAX_WAIT_MS });
  await client.connect();
  try {
    await client.query("SELECT FROM migrations LIMIT 1");
  } finally {
    await client.end();
  }
}
