import type { Database } from "../db/connection.ts";
import type { Driver } from "../db/drivers/driver.ts";
import type { JobKind } from "../jobs/queue.ts";
import type { JobQueue } from "../jobs/send.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Storage } from "../storage/storage.ts";

/**
 * Tracing, as wrappers around the parts of the service. Without tracing there are no wrappers and no spans. Spans
 * never contain parameter values, addresses of people, tokens or queries of URLs. No headers are added to outgoing
 * calls.
 */
export interface Tracing {
  /**
   * Makes each request a span, a child of the span in a valid `traceparent`. All other spans are created only within
   * that of a request or job.
   */
  requests<C extends TracedRequest>(respond: Respond<C>): Respond<C>;
  /** Makes each statement a span named after its query. */
  driver(driver: Driver): Driver;
  /** Makes each attempt at a transaction a span that contains those of its statements. */
  database(database: Database): Database;
  /** Makes each job carry the `traceparent` of the request or job that queued it. */
  queue(queue: JobQueue): JobQueue;
  /** Makes each attempt at a job a span, a child of the span that queued the job. */
  kind<Host>(kind: JobKind<Host>): JobKind<Host>;
  mailer(mailer: Mailer, server: { host: string; port: number }): Mailer;
  /** Wraps a file storage on S3, so that each operation is a span. */
  storage(storage: Storage, bucket: string): Storage;
  /** Wraps `fetch`, so that each call is a span. */
  fetch: Fetch;
  /** Exports the remaining spans, within seconds. */
  stop(): Promise<void>;
}

/** A function that returns the response to a request. */
type Respond<C> = (request: Request, context: C) => Promise<Response>;

/** The parts of a request's context that tracing reads and sets. */
export type TracedRequest = {
  readonly requestId: string;
  /** The path as declared, known once the request was routed. */
  readonly route: string | null;
  /** The error code of the response; undefined if it is not an error. */
  readonly code: string | undefined;
  traceId: string | undefined;
};

export type Fetch = (url: string | URL | Request, options?: RequestInit) => Promise<Response>;
