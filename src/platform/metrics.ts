import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Labels, Meter } from "./meter.ts";

/** The definition of a counter or a histogram: its description, and the label values that are exported as 0 from the start. */
export type CounterDefinition = { help: string; labels: Record<string, readonly string[]> };
/** One value of a gauge. */
export type Reading = [labels: Labels, value: number];

/** Metrics for Prometheus. Labels are route patterns and fixed words, so their number is limited. */
export interface Metrics extends Meter {
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  observeWait(pool: string, seconds: number): void;
  /** Adds a gauge whose values are read at each scrape. */
  gauge(name: string, help: string, labelNames: string[], read: () => Reading[] | Promise<Reading[]>): void;
  /** Returns the text that Prometheus reads, with its content type. */
  text(): Promise<string>;
  readonly contentType: string;
}

/**
 * The HTTP methods that are used as label values. Clients may send arbitrary others, which would create unlimited
 * series.
 */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LAG_INTERVAL_MS = 100;

/**
 * Creates the metrics of a process, with the given counters and histograms of durations.
 */
export function createMetrics(
  definitions: Record<string, CounterDefinition>,
  durations: Record<string, CounterDefinition> = {},
): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from a request's arrival to its response.",
    labelNames: ["method", "route", "status"],
    buckets: BUCKETS,
    registers,
  });
  const waits = new Histogram({
    name: "db_pool_wait_seconds",
    help: "Time until a statement or transaction got a connection. Reads share connections and do not wait.",
    labelNames: ["pool"],
    buckets: BUCKETS,
    registers,
  });
  const counters = new Map<string, Counter>();
  for (const [name, { help, labels }] of Object.entries(definitions)) {
    const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers });
    for (const values of combinations(labels)) counter.inc(values, 0);
    counters.set(name, counter);
  }
  const histograms = new Map<string, Histogram>();
  for (const [name, { help, labels }] of Object.entries(durations)) {
    const labelNames = Object.keys(labels);
    const histogram = new Histogram({ name, help, labelNames, buckets: BUCKETS, registers });
    if (labelNames.length > 0) for (const values of combinations(labels)) histogram.zero(values);
    histograms.set(name, histogram);
  }
  addEventLoopLag(registers);

  return {
    observeRequest: (method, route, status, seconds) =>
      requests.labels(METHODS.has(method) ? method : "other", route, String(status)).observe(seconds),
    observeWait: (pool, seconds) => waits.observe({ pool }, seconds),
    count: (name, labels = {}, amount = 1) => counters.get(name)?.inc(labels, amount),
    observe: (name, seconds, labels = {}) => histograms.get(name)?.observe(labels, seconds),
    gauge(name, help, labelNames, read) {
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        async collect() {
          this.reset();
          // A gauge that cannot be read now, such as the number of jobs while the database is unavailable, has no
          // values.
          const readings = await Promise.resolve(read()).catch(() => []);
          for (const [labels, value] of readings) this.set(labels, value);
        },
      });
    },
    text: () => register.metrics(),
    contentType: register.contentType,
  };
}

/**
 * Adds the event loop's lag. A timer resets it, not each scrape: the histograms of `perf_hooks` share their values
 * in Bun, so a reset affects all of them.
 */
function addEventLoopLag(registers: Registry[]) {
  let firedAt = performance.now();
  let longest = 0;
  const measure = () => {
    const now = performance.now();
    longest = Math.max(longest, now - firedAt - LAG_INTERVAL_MS);
    firedAt = now;
  };
  setInterval(measure, LAG_INTERVAL_MS).unref();
  new Gauge({
    name: "event_loop_lag_seconds",
    help: "The longest event loop delay since the last scrape.",
    registers,
    collect() {
      measure();
      this.set(longest / 1000);
      longest = 0;
    },
  });
}

/** Returns all combinations of a counter's label values. */
function combinations(labels: CounterDefinition["labels"]): Labels[] {
  return Object.entries(labels).reduce<Labels[]>(
    (made, [label, values]) => made.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}
