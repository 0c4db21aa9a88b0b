import type { Database } from "../db/connection.ts";
import type { Driver } from "../db/drivers/driver.ts";
import type { JobKind } from "../jobs/queue.ts";
import type { JobQueue } from "../jobs/send.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Storage } from "../storage/storage.ts";

/**
 * Tracing, as wrappers around the parts of the service: without it there is neither a wrapper nor a span. Spans never
 * contain values of parameters, addresses of people, tokens or queries of URLs. Nothing is added to outgoing calls.
 */
export interface Tracing {
  /** Each request is a span, a child of a valid `traceparent`. Everything below is a span only inside one of a request or job. */
  requests<C extends TracedRequest>(respond: Respond<C>): Respond<C>;
  /** Each statement is a span named after its query. */
  driver(driver: Driver): Driver;
  /** Each attempt at a transaction is a span, around those of its statements. */
  database(database: Database): Database;
  /** Jobs carry the `traceparent` of whatever queues them. */
  queue(queue: JobQueue): JobQueue;
  /** Each attempt at a job is a span, a child of the one that queued it. */
  kind<Host>(kind: JobKind<Host>): JobKind<Host>;
  mailer(mailer: Mailer, server: { host: string; port: number }): Mailer;
  /** For a storage that is S3. */
  storage(storage: Storage, bucket: string): Storage;
  /** `fetch` whose calls are spans. */
  fetch: Fetch;
  /** Exports what is left, within seconds. */
  stop(): Promise<void>;
}

/** Exchanges a request for a response. */
type Respond<C> = (request: Request, context: C) => Promise<Response>;

/** What tracing reads and sets in the context of a request. */
export type TracedRequest = {
  readonly requestId: string;
  /** The path as declared, known once the request was routed. */
  readonly route: string | null;
  /** The code of the error response, if it is one. */
  readonly code: string | undefined;
  traceId: string | undefined;
};

export type Fetch = (url: string | URL | Request, options?: RequestInit) => Promise<Response>;
