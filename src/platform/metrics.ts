import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

/** Request counts and durations for Prometheus. Labels are route patterns, so their number is bounded. */
export interface Metrics {
  observe(method: string, route: string, status: number, seconds: number): void;
  /** The text that Prometheus reads, and its content type. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Clients may send arbitrary other methods. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export function createMetrics(): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const duration = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from a request's arrival to its answer.",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [register],
  });
  return {
    observe: (method, route, status, seconds) =>
      duration.labels(METHODS.has(method) ? method : "other", route, String(status)).observe(seconds),
    text: () => register.metrics(),
    contentType: register.contentType,
  };
}
