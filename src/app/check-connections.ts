import type { Service } from "../core/context.ts";
import { exactlyOne } from "../platform/db/prepared-query.ts";

/** The connections of an instance besides its pools: those of the job queue and of the change feed. */
const BESIDE_POOLS = 3;

/** Returns the maximum number of connections to the primary that an instance opens. */
export const maxConnectionsOf = ({ db }: Pick<Service, "db">): number =>
  db
    .pools()
    .filter(({ pool }) => !pool.endsWith("-replica"))
    .reduce((sum, { used, idle }) => sum + used + idle, BESIDE_POOLS);

/**
 * Warns if PostgreSQL does not accept the connections of two instances: during a rollout, an old and a new instance
 * run at the same time. Behind a pooler, instances do not determine the number of connections to the server.
 */
export async function checkConnections({ app, db }: Service): Promise<void> {
  const { url, listenUrl } = app.config.database;
  if (url !== listenUrl || app.config.role === "worker") return;
  const { max } = exactlyOne(
    (await db.query(
      `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - current_setting('reserved_connections')::int AS max`,
      [],
    )) as { max: number }[],
  );
  const needed = maxConnectionsOf({ db });
  if (2 * needed > max)
    app.log.warn("too few connections for two instances", {
      needed,
      accepted: max,
    });
}
