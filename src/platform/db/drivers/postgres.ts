import postgres from "postgres";
import { type Driver, type PoolOptions, propertyOf, type Statement } from "./driver.ts";

type Waiting = { start: (client: Client) => void; signal: AbortSignal };

/**
 * postgres.js, for runtimes without Bun's client. Each connection is a client of its own that is discarded after a
 * loss: one that reconnects may wait forever for its own writes (docs/decisions.md, 1).
 */
export const postgresDriver: Driver = (options) => {
  const clients = new Set<Client>();
  const waiting: Waiting[] = [];

  /** An idle connection, or a new one; null if all are busy. */
  function idle(): Client | null {
    for (const client of clients) if (!client.isOpen) clients.delete(client);
    for (const client of clients) if (client.inFlight === 0 && !client.isReserved) return client;
    if (clients.size >= options.size) return null;
    const client = new Client(options);
    clients.add(client);
    return client;
  }

  function leastBusy(): Client {
    const shared = [...clients].filter((client) => !client.isReserved);
    return shared.reduce((best, client) => (client.inFlight < best.inFlight ? client : best));
  }

  function startNext() {
    while (waiting[0] !== undefined) {
      const client = waiting[0].signal.aborted ? undefined : idle();
      if (client === null) return;
      const next = waiting.shift();
      if (client === undefined) continue;
      client.isReserved = true;
      next?.start(client);
    }
  }

  return {
    query: (text, values) => (idle() ?? leastBusy()).query(text, values),
    async reserve(signal) {
      const client = await new Promise<Client>((start, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        waiting.push({ start, signal });
        startNext();
      });
      return {
        query: (text, values) => client.query(text, values),
        release() {
          client.isReserved = false;
          startNext();
        },
        close: () => void client.close(0).catch(() => {}),
      };
    },
    close: async (seconds) => void (await Promise.all([...clients].map((client) => client.close(seconds)))),
  };
};

/** A statement of postgres.js; it has a state once it was written to the socket. */
type Sendable = { state: object | null; cancel(): void };
type Unanswered = { statement: Sendable; reject: (error: unknown) => void };

/** One connection. */
class Client {
  inFlight = 0;
  isReserved = false;
  isOpen = true;
  private readonly sql: postgres.Sql;
  private readonly unanswered = new Set<Unanswered>();

  constructor({ url, settings }: PoolOptions) {
    this.sql = postgres(url, {
      max: 1,
      connect_timeout: 5,
      max_lifetime: null,
      connection: settings,
      transform: { column: { from: propertyOf } },
      types: { date },
      onnotice: () => {},
      onclose: () => {
        this.isOpen = false;
        this.dropUnsent();
      },
    });
  }

  query(text: string, values: unknown[]): Statement & Promise<postgres.RowList<postgres.Row[]>> {
    const { promise, resolve, reject } = Promise.withResolvers<postgres.RowList<postgres.Row[]>>();
    let cancel = () => {};
    if (this.isOpen) {
      this.inFlight += 1;
      const statement = this.sql.unsafe(text, values.map(parameter), { prepare: true });
      const unanswered = { statement: statement as unknown as Sendable, reject };
      this.unanswered.add(unanswered);
      statement
        .then(resolve, (error) => reject(translated(error)))
        .finally(() => {
          this.unanswered.delete(unanswered);
          this.inFlight -= 1;
        });
      cancel = () => {
        reject(Object.assign(new Error("Cancelled"), { errno: "57014" }));
        statement.cancel();
      };
    } else reject(connectionLost());
    return Object.assign(promise, { cancel: () => cancel() });
  }

  /**
   * postgres.js delays a statement while an earlier one is being described, and after a loss it would reconnect to send
   * it: the rest of a transaction would then run outside of any, and each statement would commit by itself.
   */
  private dropUnsent() {
    for (const { statement, reject } of this.unanswered) {
      if (statement.state !== null) continue;
      reject(connectionLost());
      statement.cancel();
    }
  }

  close(seconds: number): Promise<void> {
    this.isOpen = false;
    return this.sql.end({ timeout: seconds });
  }
}

/** An array is sent as the type that its statement declares; postgres.js would infer it from the first element. */
function parameter(value: unknown): postgres.ParameterOrJSON<never> {
  const sent = Array.isArray(value)
    ? value.map((element) => (typeof element === "boolean" ? String(element) : element))
    : (value ?? null);
  return sent as postgres.ParameterOrJSON<never>;
}

/** A timestamp that is already text keeps its microseconds. */
const date = {
  to: 1184,
  from: [1082, 1114, 1184],
  serialize: (value: unknown) => (value instanceof Date ? value.toISOString() : String(value)),
  parse: (text: string) => new Date(text),
};

const connectionLost = () =>
  Object.assign(new Error("Connection closed"), { code: "ERR_POSTGRES_CONNECTION_CLOSED" });

/** Converts an error to the form that all drivers share. */
function translated(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code } = error as { code?: unknown };
  if (error instanceof postgres.PostgresError)
    return Object.assign(error, { errno: code, constraint: error.constraint_name });
  // From postgres.js itself (CONNECTION_CLOSED, CONNECT_TIMEOUT), or from the socket (ECONNREFUSED, EPIPE).
  const isLost = typeof code === "string" && /^(CONN|E[A-Z])/.test(code);
  return isLost ? Object.assign(connectionLost(), { cause: error }) : error;
}
