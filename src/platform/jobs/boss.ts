import { PgBoss } from "pg-boss";
import packageJson from "pg-boss/package.json" with { type: "json" };

/** The version of the queue's schema that this build was made for. */
export const SCHEMA_VERSION: number = packageJson.pgboss.schema;

/** A peer that vanished without a word is noticed, by probes between statements and by time within one. */
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
  /** Whether it sees that scheduled jobs come. */
  schedule: boolean;
  superviseSeconds: number;
  onError: (error: unknown) => void;
};

/**
 * Starts pg-boss on a schema of its own version, or of a newer one: while a new image is rolled out, and where one is
 * rolled back, instances of the old one must be able to start, too. pg-boss refuses any other version unless it may
 * migrate, and a newer one it never migrates.
 * @throws where the schema is older, or the queue does not answer
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
    if (version === null || version <= SCHEMA_VERSION) throw error;
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
