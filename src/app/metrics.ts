import { setTimeout } from "node:timers/promises";
import * as seals from "#sql/audit-seals";
import * as domains from "#sql/domains";
import * as events from "#sql/events";
import * as feed from "#sql/product-feed";
import * as connections from "#sql/sso-connections";
import * as webhooks from "#sql/webhook-deliveries";
import type { Readiness } from "../core/api/readiness.ts";
import type { Service } from "../core/context.ts";
import { COUNTERS, DURATIONS } from "../core/counters.ts";
import { isFollowed } from "../core/effects/feed-entry.ts";
import type { ChangeFeed } from "../platform/db/change-feed.ts";
import { exactlyOne } from "../platform/db/prepared-query.ts";
import type { QueueCounts } from "../platform/jobs/supervise.ts";
import { createMetrics, type Metrics, type Reading } from "../platform/metrics.ts";
import type { Build } from "../platform/version.ts";
import { jobKinds } from "./jobs.ts";

const STATES = ["created", "retry", "active", "failed"] as const;
/** The minimum time between two queries for gauges, for any number of scrapes. */
const BETWEEN_MS = 2_000;
/**
 * The timeout for queries of gauges. A scrape must not fail if the database does not respond, because the other
 * metrics matter most then.
 */
const MAX_WAIT_MS = 1_000;

/** Creates the metrics of the service (rules 25.3). */
export const openMetrics = (): Metrics => createMetrics(COUNTERS, DURATIONS);

/** Adds the gauges of a running instance to the metrics. */
export function addGauges(
  metrics: Metrics,
  { app, db }: Service,
  {
    build,
    changeFeed,
    readiness,
  }: { build: Build; changeFeed: ChangeFeed | null; readiness: () => Promise<Readiness> },
): void {
  const number = (name: string, help: string, read: () => number | Promise<number>) =>
    metrics.gauge(name, help, [], async () => [[{}, await read()]]);
  const jobs = kept(() => app.jobs.counts());

  metrics.gauge(
    "build_info",
    "The release and the commit that run; always 1.",
    ["version", "revision"],
    () => [[build, 1]],
  );

  metrics.gauge(
    "db_pool_connections",
    "Connections of a pool: used, idle (or not open yet), and callers waiting for one.",
    ["pool", "state"],
    () =>
      db
        .pools()
        .flatMap(({ pool, ...states }) =>
          Object.entries(states).map(([state, value]): Reading => [{ pool, state }, value]),
        ),
  );
  metrics.gauge("jobs", "Unfinished and failed jobs by state.", ["queue", "state"], async () =>
    countsOf(await jobs()),
  );
  metrics.gauge("jobs_oldest_seconds", "Age of the oldest unfinished job.", ["queue"], async () =>
    oldestOf(await jobs()),
  );
  number("password_hashes_waiting", "Passwords waiting to be hashed.", () => app.hasher.waiting());
  number("streams_open", "Open notification streams.", () => app.streams.size());
  if (changeFeed !== null)
    number("change_feed_connected", "Whether the LISTEN connection is up.", () =>
      changeFeed.isConnected() ? 1 : 0,
    );
  metrics.gauge("ready", "Whether a check of readiness is ok.", ["check"], async () =>
    Object.entries((await readiness()).checks).map(
      ([check, outcome]): Reading => [{ check }, outcome === "ok" ? 1 : 0],
    ),
  );
  const { replica } = db;
  if (replica !== null)
    number("replica_serving", "Whether the replica serves lists.", () => (replica.isServing() ? 1 : 0));
  number(
    "audit_unsealed_oldest_seconds",
    "Age of the oldest audit event that is not sealed yet.",
    kept(async () => exactlyOne(await seals.findOldestUnsealed.run(undefined, db)).seconds),
  );
  const lag = kept(async () => exactlyOne(await events.findRelayLag.run(undefined, db)));
  number("events_waiting", "Events that wait for their number.", async () => (await lag()).waiting);
  number(
    "events_relay_lag_seconds",
    "Age of the oldest event that waits for its number.",
    async () => (await lag()).seconds,
  );
  if (isFollowed(app))
    number(
      "product_feed_lag_seconds",
      "Age of the oldest entry of the feed after the latest cursor of the product.",
      kept(async () => exactlyOne(await feed.findFeedLag.run(undefined, db)).seconds),
    );
  const waiting = kept(async () => exactlyOne(await webhooks.countDeliveriesWaiting.run(undefined, db)));
  number(
    "webhook_deliveries_pending",
    "Deliveries to webhook endpoints that are pending.",
    async () => (await waiting()).pending,
  );
  number(
    "webhook_oldest_due_seconds",
    "How long the delivery that is due longest has waited.",
    async () => (await waiting()).oldestSeconds,
  );
  if (app.config.sso)
    number(
      "domains_missing",
      "Verified domains whose record is absent.",
      kept(async () => exactlyOne(await domains.countMissingDomains.run(undefined, db)).count),
    );
  if (app.config.sso)
    metrics.gauge(
      "sso_connections",
      "Connections by status.",
      ["status"],
      kept(async () => {
        const counts = await connections.countConnectionsByStatus.run(undefined, db);
        return counts.map(({ status, count }): Reading => [{ status }, count]);
      }),
    );
  const forms = () => app.bodies.formMemory.at("instance").used;
  number("upload_bytes_in_flight", "Bytes of multipart forms held in memory.", forms);
  number(
    "pg_notification_queue_usage",
    "Fraction of the PostgreSQL notification queue in use, 0 to 1.",
    kept(async () => {
      const [row] = (await db.query("SELECT pg_notification_queue_usage() AS usage", [])) as [
        { usage: number },
      ];
      return row.usage;
    }),
  );
}

function countsOf(counts: QueueCounts[]): Reading[] {
  return jobKinds.flatMap(({ queue }) =>
    STATES.map((state): Reading => {
      const found = counts.find((one) => one.queue === queue && one.state === state);
      return [{ queue, state }, found?.count ?? 0];
    }),
  );
}

function oldestOf(counts: QueueCounts[]): Reading[] {
  return jobKinds.map(({ queue }) => {
    const unfinished = counts.filter((one) => one.queue === queue && one.state !== "failed");
    return [{ queue }, Math.max(0, ...unfinished.map(({ oldestSeconds }) => oldestSeconds))];
  });
}

/**
 * Returns a function that calls `ask` at most once in two seconds. Calls in between get the latest result. The
 * promise is rejected if `ask` takes too long.
 */
function kept<T>(ask: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (latest !== null && performance.now() - askedAt < BETWEEN_MS) return latest;
    askedAt = performance.now();
    latest = Promise.race([ask(), timeout()]);
    return latest;
  };
}

async function timeout(): Promise<never> {
  await setTimeout(MAX_WAIT_MS, undefined, { ref: false });
  throw new Error("The database did not respond in time");
}
