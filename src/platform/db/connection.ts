import type { Logger } from "../log.ts";
import type { Database, Replica } from "./database.ts";
import type { Driver } from "./drivers/driver.ts";
import { withLocalSettings } from "./local-settings.ts";
import { type OnWait, poolWithDeadlines } from "./pool-with-deadlines.ts";
import { followReplica } from "./replica.ts";

export type { Database, ListPools, PoolUse, TransactionPool } from "./database.ts";

/** The total time that a request waits for the database, in milliseconds; then it gets 503. */
export const MAX_WAIT_MS = 8_000;
/**
 * The maximum duration of a transaction, as a multiple of `maxWaitMs`: the server aborts longer transactions, so that
 * a crashed client cannot hold its locks.
 */
const MAX_TRANSACTION_WAITS = 1.5;
/** Returns the transaction timeout, as a PostgreSQL setting, for requests that wait at most `maxWaitMs`. */
export const maxTransaction = (maxWaitMs = MAX_WAIT_MS) =>
  `${Math.ceil(MAX_TRANSACTION_WAITS * maxWaitMs)}ms`;
/**
 * Planner settings of direct connections. They change only costs, so behind a pooler the server's settings are
 * used.
 * - Rows are in memory or on an SSD, so reading by an index costs little more than scanning (default: 4 times as
 *   much).
 * - A merge join reads an index from its first entry up to the greatest id that it looks for. Ids grow with time, so
 *   for a new account that is nearly every account of the service, which the planner's statistics do not know.
 */
export const PLANNER = { random_page_cost: "1.1", enable_mergejoin: "off" };
/**
 * Planner settings for sign-in, refresh and switch, which only look up rows by keys. A plan is cached for as long
 * as its connection. Without these settings, a plan from when a table had few rows would scan the whole table.
 */
export const POINT_LOOKUPS = { ...PLANNER, enable_seqscan: "off" };
const READ_CONNECTIONS = 3;
const SIGN_IN_CONNECTIONS = 8;
/**
 * The size of the pool for lists and exports. One organization runs at most three lists, of two slow statements
 * each, and two exports at once, so two connections remain for others.
 */
const LIST_CONNECTIONS = 10;
/**
 * The size of the pool for first pages of lists. A page is one statement, so one organization uses at most three
 * connections.
 */
const PAGE_CONNECTIONS = 5;

/** The URL of a database, the driver, and the limits of its pools. */
export type DatabaseOptions = {
  url: string;
  listenUrl: string;
  replica?: { url: string; log: Logger } | null;
  poolSize: number;
  applicationName: string;
  driver: Driver;
  onWait?: OnWait;
  /** How long a statement waits for a connection; MAX_WAIT_MS by default. */
  maxWaitMs?: number | undefined;
};
/**
 * Opens five pools, so that no kind of work waits for another.
 * - Fast statements share few connections, on which they are pipelined: measured at 1.2 times the requests of ten
 *   connections.
 * - Lists are one static query each, with optional filters. A generic plan was 600 times slower than a custom one,
 *   so list queries always use custom plans; only the first pages use cached plans (`list` in core/api/list.ts).
 * - Both pools for lists give each statement its own connection. Pipelined behind a slow statement, it would wait
 *   while other connections become free.
 * - Transactions and single writes have a pool whose connections may be occupied while they wait for a lock.
 * - Sign-in, refresh and switch have a separate pool, so that they never wait for other writes.
 */
export function connect(options: DatabaseOptions): Database {
  const { url, listenUrl, poolSize, applicationName, driver, onWait, maxWaitMs = MAX_WAIT_MS } = options;
  // A separate URL for LISTEN means that `url` points to a pooler.
  const isDirect = url === listenUrl;
  type Settings = Record<string, string>;
  type Opened = { settings?: Settings; planner?: Settings; oneAtATime?: boolean; at?: string };
  const open = (
    pool: string,
    size: number,
    { settings = {}, planner = PLANNER, oneAtATime = false, at = url }: Opened = {},
  ) => {
    const name = pool === "transactions" ? applicationName : `${applicationName}-${pool}`;
    const session = { application_name: name, TimeZone: "UTC", ...(isDirect && { ...planner, ...settings }) };
    const start = () =>
      withLocalSettings(driver({ url: at, size, settings: session }), isDirect ? {} : settings);
    return poolWithDeadlines(start, { pool, size, oneAtATime, onWait, maxWaitMs });
  };
  const openLists = (at: string, suffix = "") => {
    const [listSize, pageSize] = [Math.min(LIST_CONNECTIONS, poolSize), Math.min(PAGE_CONNECTIONS, poolSize)];
    // By default the planner's cost for random pages is that of a spinning disk. It would then read the rows of all
    // organizations sequentially instead of those of one organization by an index.
    const settings = { plan_cache_mode: "force_custom_plan", random_page_cost: "1.1" };
    const lists = open(`lists${suffix}`, listSize, { settings, oneAtATime: true, at });
    return { lists, pages: open(`pages${suffix}`, pageSize, { oneAtATime: true, at }) };
  };
  const reads = open("reads", Math.min(READ_CONNECTIONS, poolSize));
  const { lists, pages } = openLists(url);
  const transaction_timeout = maxTransaction(maxWaitMs);
  const transactions = open("transactions", poolSize, { settings: { transaction_timeout } });
  const signInSize = Math.min(SIGN_IN_CONNECTIONS, poolSize);
  const signIns = open("sign-in", signInSize, { settings: { transaction_timeout }, planner: POINT_LOOKUPS });
  const pools = [reads, lists, pages, transactions, signIns];
  let replica: Replica | null = null;
  if (options.replica) {
    const { url: at, log } = options.replica;
    const there = openLists(at, "-replica");
    const position = open("reads-replica", 1, { at });
    pools.push(there.lists, there.pages, position);
    // Statements are never retried on the replica: after a restart it may be further behind than before.
    const once = { lists: { query: there.lists.write }, pages: { query: there.pages.write } };
    replica = followReplica({
      primary: reads,
      replica: { query: position.write },
      pools: once,
      fallback: { lists, pages },
      log,
    });
  }
  return {
    query: reads.query,
    lists,
    pages,
    replica,
    writes: { query: transactions.write },
    maxWaitMs,
    begin: transactions.begin,
    autocommit: transactions.autocommit,
    signIns: { begin: signIns.begin, autocommit: signIns.autocommit, writes: { query: signIns.write } },
    pools: () => pools.map((pool) => pool.use()),
    excludeFromDeadline: (work) => work(),
    async close() {
      replica?.close();
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}
