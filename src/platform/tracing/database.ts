import { type Attributes, SpanKind, type Tracer } from "@opentelemetry/api";
import type { Database, TransactionPool } from "../db/connection.ts";
import type { Connection, Driver } from "../db/drivers/driver.ts";
import { fail, inSpan, isRecorded } from "./spans.ts";

const SYSTEM = { "db.system.name": "postgresql" };
const OPERATION = /^\s*([a-z]+)/i;

/**
 * Adds spans for statements. Wraps the database driver, which sees all statements: also those that a transaction
 * does not await, BEGIN, COMMIT, and repetitions after a lost connection.
 * @param nameOf returns the name of the query with this text, if it has one
 */
export const tracedDriver =
  (driver: Driver, tracer: Tracer, nameOf: (text: string) => string | undefined): Driver =>
  (options) => {
    const { hostname, port, pathname } = new URL(options.url);
    const common: Attributes = {
      ...SYSTEM,
      "db.namespace": pathname.slice(1),
      "server.address": hostname,
      ...(port !== "" && { "server.port": Number(port) }),
    };
    /** Sends a statement within a span. Returns the driver's own result, because it can be cancelled. */
    const traced = <Result extends PromiseLike<unknown[]>>(text: string, send: () => Result): Result => {
      if (!isRecorded()) return send();
      const operation = OPERATION.exec(text)?.[1]?.toUpperCase() ?? "";
      const summary = nameOf(text) ?? operation;
      const attributes = { ...common, "db.operation.name": operation, "db.query.summary": summary };
      const span = tracer.startSpan(summary, { kind: SpanKind.CLIENT, attributes });
      const result = send();
      result.then(
        () => span.end(),
        (error) => {
          fail(span, error);
          span.end();
        },
      );
      return result;
    };
    const connection = (own: Connection): Connection => ({
      query: (text, values) => traced(text, () => own.query(text, values)),
      release: () => own.release(),
      close: () => own.close(),
    });
    const pool = driver(options);
    return {
      query: (text, values) => traced(text, () => pool.query(text, values)),
      reserve: async (signal) => connection(await pool.reserve(signal)),
      close: (seconds) => pool.close(seconds),
    };
  };

/** Adds a span for each attempt at a transaction, from the request for a connection to the end of COMMIT. */
export const tracedDatabase = (database: Database, tracer: Tracer): Database => ({
  ...database,
  ...traced(database, tracer),
  signIns: { ...database.signIns, ...traced(database.signIns, tracer) },
});

const traced = (pool: TransactionPool, tracer: Tracer): Pick<TransactionPool, "begin"> => ({
  begin: (work, options) =>
    inSpan(tracer, "transaction", { kind: SpanKind.INTERNAL, attributes: SYSTEM }, () =>
      pool.begin(work, options),
    ),
});
