import pg from "pg";
import { type Driver, type PoolOptions, type Statement, toCamelCase } from "./driver.ts";

type Waiting = { start: (client: Client) => void; signal: AbortSignal };

/**
 * The driver for node-postgres, for runtimes without Bun's client. In pipeline mode a statement is sent in a single
 * round trip, because parameter types are not queried first. A client is discarded after a connection loss and never
 * connects again.
 */
export const pgDriver: Driver = (options) => sharedPool(options)(options);

/** Creates a driver whose pools all share the same connections, so that work that needs few connections opens few. */
export function sharedPool(options: PoolOptions): Driver {
  const clients = new Set<Client>();
  const waiting: Waiting[] = [];

  /** Returns an idle connection, or a new one; null if all connections are busy. */
  function idle(): Client | null {
    for (const client of clients) if (!client.isOpen) clients.delete(client);
    for (const client of clients) if (client.inFlight === 0 && !client.isReserved) return client;
    if (clients.size >= options.size) return null;
    return another();
  }

  function another(): Client {
    const client = new Client(options);
    clients.add(client);
    return client;
  }

  /**
   * Opens a connection beyond the pool's size if all connections are reserved: the caller that reserved one may be
   * waiting for this statement.
   */
  function leastBusy(): Client {
    const shared = [...clients].filter((client) => !client.isReserved);
    if (shared.length === 0) return another();
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

  return () => ({
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
        close: () => client.destroy(),
      };
    },
    close: async (seconds) => void (await Promise.all([...clients].map((client) => client.close(seconds)))),
  });
}

/** A connection of the pool. */
class Client {
  inFlight = 0;
  isReserved = false;
  isOpen = true;
  private readonly client: pg.Client;
  private readonly unsettled = new Set<(reason: unknown) => void>();
  private closing: Promise<void> | null = null;

  constructor({ url, settings }: PoolOptions) {
    this.client = new ClientWithSettings(url, settings);
    this.client.on("error", (error) => this.lose(error));
    this.client.on("end", () => this.lose());
    this.client.connect().catch((error) => this.lose(error));
  }

  query(text: string, values: unknown[]): Statement & Promise<unknown[]> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    const statement = Object.assign(promise, { cancel: () => this.cancel(reject) });
    if (!this.isOpen) {
      reject(connectionLost());
      return statement;
    }
    let sent: unknown[];
    try {
      sent = parametersOf(text, values);
    } catch (error) {
      reject(error);
      return statement;
    }
    this.inFlight += 1;
    this.unsettled.add(reject);
    this.client
      .query({ text, values: sent, rowMode: "array" })
      .then(
        ({ fields, rows }) => resolve(objects(fields, rows)),
        (error) => reject(translated(error)),
      )
      .finally(() => {
        this.unsettled.delete(reject);
        this.inFlight -= 1;
      });
    return statement;
  }

  /**
   * The statement cannot be cancelled on the server, and later statements on this connection would wait for it. So
   * the connection is closed.
   */
  private cancel(reject: (reason: unknown) => void) {
    reject(Object.assign(new Error("Cancelled"), { errno: "57014" }));
    this.destroy();
  }

  private lose(cause?: unknown) {
    this.isOpen = false;
    // If signing in at the server has failed, the server's own error is more informative.
    const error = cause instanceof pg.DatabaseError ? translated(cause) : connectionLost(cause);
    for (const reject of this.unsettled) reject(error);
  }

  /** Closes the socket at once, without a protocol message to the server. */
  destroy(): void {
    this.lose();
    this.client.connection.stream.destroy();
  }

  close(seconds: number): Promise<void> {
    this.isOpen = false;
    if (seconds === 0) this.destroy();
    this.closing ??= this.end(seconds);
    return this.closing;
  }

  private async end(seconds: number): Promise<void> {
    const timer = setTimeout(() => this.destroy(), seconds * 1000);
    await this.client.end().catch(() => {});
    clearTimeout(timer);
  }
}

/** Sends the settings as parameters of the connection's start. Poolers understand these, but not `options`. */
class ClientWithSettings extends pg.Client {
  constructor(
    url: string,
    private readonly settings: Record<string, string>,
  ) {
    super({ connectionString: url, pipeline: true, connectionTimeoutMillis: 5_000 });
    for (const type of ZONELESS_TYPES) this.setTypeParser(type, utcDate);
  }

  /**
   * Overrides an internal method, because the client has no public option for session parameters except `options`.
   */
  getStartupConf(): Record<string, string> {
    const own = (pg.Client.prototype as unknown as { getStartupConf(): Record<string, string> })
      .getStartupConf;
    return { ...own.call(this), ...this.settings };
  }
}

/** The type ids of `date` and `timestamp`, which have no time zone. */
const ZONELESS_TYPES = [1082, 1114];

/**
 * Reads dates without a time zone as UTC, because `TimeZone` is UTC. By default pg would use the time zone of the
 * process.
 */
const utcDate = (text: string) => new Date(text.includes(" ") ? `${text.replace(" ", "T")}Z` : text);

/** Formats a time as PostgreSQL reads ISO 8601: years beyond 9999 without a sign, and years before 1 with BC. */
function timestamp(date: Date): string {
  const [, sign, digits = "", rest] = /^([+-]?)(\d+)(.*)$/.exec(date.toISOString()) ?? [];
  const year = sign === "-" ? -Number(digits) : Number(digits);
  return year > 0
    ? `${String(year).padStart(4, "0")}${rest}`
    : `${String(1 - year).padStart(4, "0")}${rest} BC`;
}

const JSON_CAST = /\$(\d+)::jsonb?\b(?!\[)/g;
/**
 * The positions of parameters that the statement casts to JSON. For these, strings and arrays are also serialized as
 * JSON.
 */
const jsonParameters = new Map<string, ReadonlySet<number>>();

function parametersOf(text: string, values: unknown[]): unknown[] {
  if (values.length === 0) return values;
  let json = jsonParameters.get(text);
  if (json === undefined) {
    json = new Set([...text.matchAll(JSON_CAST)].map(([, position]) => Number(position) - 1));
    jsonParameters.set(text, json);
  }
  return values.map((value, index) =>
    json.has(index) && value !== null && value !== undefined ? JSON.stringify(value) : parameter(value),
  );
}

/** Converts values that pg would serialize differently from Bun's client, or only once the statement is half sent. */
function parameter(value: unknown): unknown {
  if (value instanceof Date) return timestamp(value);
  if (Array.isArray(value)) return value.map(parameter);
  if (typeof value === "symbol" || typeof value === "function")
    throw new TypeError("No value for a statement");
  return typeof value === "object" && value !== null && !ArrayBuffer.isView(value)
    ? JSON.stringify(value)
    : value;
}

const objects = (fields: pg.FieldDef[], rows: unknown[][]): unknown[] => {
  const names = fields.map(({ name }) => toCamelCase(name));
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
};

const connectionLost = (cause?: unknown) =>
  Object.assign(new Error("Connection closed", { cause }), { code: "ERR_POSTGRES_CONNECTION_CLOSED" });

/**
 * Converts an error to the form that all drivers share. Every error that does not come from the server is a lost
 * connection.
 */
const translated = (error: unknown): unknown =>
  error instanceof pg.DatabaseError
    ? Object.assign(error, { errno: error.code, constraint: error.constraint })
    : connectionLost(error);
