import * as health from "#sql/health";
import type { ChangeFeed } from "../platform/db/change-feed.ts";
import type { Database } from "../platform/db/database.ts";
import { poolerError, withHint } from "../platform/db/failures.ts";
import { newestMigration, newestProductMigration } from "../platform/db/migrations.ts";

const UNDEFINED_TABLE = "42P01";

/** Creates the readiness check of the database: transactions can begin, and the newest migrations have run. */
export function databaseCheck(db: Database): () => Promise<boolean> {
  const newest = { ours: newestMigration(), ofProduct: newestProductMigration() };
  return async () => {
    await assertTransactionsBegin(db);
    const hasRun = await isMigrated(db, newest).catch((error) => {
      if (error.errno === UNDEFINED_TABLE) return false;
      throw error;
    });
    if (!hasRun) throw new Error('The newest migrations have not run: run "bun run migrate"');
    return true;
  };
}

/**
 * Begins a transaction with the connections of requests: a pooler may reject the settings of these connections and
 * still serve reads. If callers wait for these connections, the check is skipped: the connections work, and a check
 * that waits would prove nothing.
 * @throws Error that names the remedy if a pooler rejects or drops the settings
 */
async function assertTransactionsBegin(db: Database): Promise<void> {
  const isBusy = db.pools().some(({ pool, waiting }) => pool === "transactions" && waiting > 0);
  if (isBusy) return;
  const deadlineAt = performance.now() + db.maxWaitMs;
  const read = "SELECT current_setting('transaction_timeout') AS limit";
  const [row] = await db
    .begin((tx) => tx.query(read, []), { deadlineAt })
    .catch((error) => Promise.reject(withHint(error)));
  if ((row as { limit: string }).limit === "0") throw poolerError();
}

async function isMigrated(
  db: Database,
  { ours, ofProduct }: { ours: string; ofProduct: string | null },
): Promise<boolean> {
  const findProduct = "SELECT FROM product_migrations WHERE name = $1";
  const found = [
    ...(await health.findMigration.run({ name: ours }, db)),
    ...(ofProduct === null ? [] : await db.query(findProduct, [ofProduct])),
  ];
  return found.length === (ofProduct === null ? 1 : 2);
}

/**
 * Creates the readiness check of the change feed. After an outage it makes the feed reconnect as soon as the
 * database works. Otherwise an instance that could serve every request would stay "not ready" until the feed's next
 * attempt. If that attempt fails, the feed continues with its usual pauses: more attempts do not help if only the
 * feed's URL is unreachable.
 */
export function changeFeedCheck(feed: ChangeFeed, database: () => Promise<boolean>): () => Promise<boolean> {
  let mayConnect = true;
  return async () => {
    if (feed.isConnected()) {
      mayConnect = true;
      return true;
    }
    const isDatabaseBack = await database().catch(() => false);
    if (!isDatabaseBack) mayConnect = true;
    if (!isDatabaseBack || !mayConnect) return false;
    mayConnect = false;
    mayConnect = await feed.connectNow();
    return mayConnect;
  };
}
