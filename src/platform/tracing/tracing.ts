import type { Database } from "../db/connection.ts";
import type { Driver } from "../db/drivers/driver.ts";
import type { JobKind } from "../jobs/queue.ts";
import type { JobQueue } from "../jobs/send.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Storage } from "../storage/storage.ts";

/**
 * Tracing by wrappers around the parts of the service. Without tracing there are no wrappers and no spans. Spans
 * never contain parameter values, addresses of people, tokens or queries of URLs. Tracing adds no headers to
 * outgoing calls.
 */
export interface Tracing {
  /**
   * Creates a span for each request, as a child of the span in a valid `traceparent`. All other spans are created
   * only within the span of a request or job.
   */
  requests<C extends TracedRequest>(respond: Respond<C>): Respond<C>;
  /** Creates a span for each statement, named after its query. */
  driver(driver: Driver): Driver;
  /** Creates a span for each attempt at a transaction, which contains the spans of its statements. */
  database(database: Database): Database;
  /** Stores the `traceparent` of the request or job that queues a job with the queued job. */
  queue(queue: JobQueue): JobQueue;
  /** Creates a span for each attempt at a job, as a child of the span that queued the job. */
  kind<Host>(kind: JobKind<Host>): JobKind<Host>;
  mailer(mailer: Mailer, server: { host: string; port: number }): Mailer;
  /** Wraps a file storage on S3, so that each operation has a span. */
  storage(storage: Storage, bucket: string): Storage;
  /** Wraps a `fetch`, so that each call has a span. */
  fetch(send: Fetch): Fetch;
  /** Exports the remaining spans, within seconds. */
  stop(): Promise<void>;
}

/** A function that returns the response to a request. */
type Respond<C> = (request: Request, context: C) => Promise<Response>;

/** The parts of a request's context that tracing reads and sets. */
export type TracedRequest = {
  readonly requestId: string;
  /** The path as the route declares it; known after the request was routed. */
  readonly route: string | null;
  /** The error code of the response; undefined if it is not an error. */
  readonly code: string | undefined;
  traceId: string | undefined;
};

export type Fetch = (url: string | URL | Request, options?: RequestInit) => Promise<Response>;
