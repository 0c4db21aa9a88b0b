import { PgBoss } from "pg-boss";
import packageJson from "pg-boss/package.json" with { type: "json" };
import { PGBOSS_SCHEMA_VERSION } from "./pgboss-tables.ts";

// The version of pg-boss's schema is checked: a new release with another schema must not start before the service's
// statements were checked against it.
if (packageJson.pgboss.schema !== PGBOSS_SCHEMA_VERSION)
  throw new Error(
    `pg-boss has schema ${packageJson.pgboss.schema}, but pgboss-tables.ts is written for ${PGBOSS_SCHEMA_VERSION}`,
  );

/**
 * Detects a database server that vanished: by keep-alive probes between statements, and by a timeout within a
 * statement.
 */
export const connection = (url: string, longestQueryMs = 30_000) => ({
  connectionString: url,
  schema: "pgboss",
  max: 2,
  application_name: "jobs",
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  query_timeout: longestQueryMs,
});

type Options = {
  url: string;
  /** Whether this process creates scheduled jobs. */
  schedule: boolean;
  superviseSeconds: number;
  onError: (error: unknown) => void;
};

/**
 * Starts pg-boss on a schema of its own version or a newer one: instances of the previous image must be able to
 * restart during a rollout and after a rollback. Without permission to migrate, pg-boss refuses any other version.
 * With it, it still never migrates a newer one.
 * @throws if the schema is older, or the queue does not respond
 */
export async function startBoss({ url, schedule, superviseSeconds, onError }: Options): Promise<PgBoss> {
  const open = (isNewer: boolean) => {
    const boss = new PgBoss({
      ...connection(url),
      migrate: isNewer,
      createSchema: false,
      schedule,
      superviseIntervalSeconds: superviseSeconds,
      monitorIntervalSeconds: superviseSeconds,
    });
    boss.on("error", onError);
    return boss;
  };
  const boss = open(false);
  try {
    await boss.start();
    return boss;
  } catch (error) {
    const version = await boss.schemaVersion().catch(() => null);
    await boss.stop({ graceful: false }).catch(() => {});
    if (error instanceof Error && /not installed/.test(error.message))
      throw new Error('The job queue is not in the database: run "bun run migrate"', { cause: error });
    if (version === null || version <= PGBOSS_SCHEMA_VERSION) throw error;
    const tolerant = open(true);
    try {
      await tolerant.start();
    } catch (cause) {
      await tolerant.stop({ graceful: false }).catch(() => {});
      throw cause;
    }
    return tolerant;
  }
}
