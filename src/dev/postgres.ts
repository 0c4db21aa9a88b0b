import { rm } from "node:fs/promises";
import { Client } from "pg";
import { lastPort, openCluster, urlOf } from "./postgres/cluster.ts";
import { prepareFolder } from "./postgres/folder.ts";
import { freePort, launch, stopServer } from "./postgres/launch.ts";

/*
 * Runs a real PostgreSQL without an installation, for development and tests.
 * - The server has its own session (setsid). So a Ctrl-C in the terminal reaches only this process, which can drain
 *   before it calls stop().
 * - If a killed process left its server running, the next start reuses that server.
 */

export type PostgresOptions = {
  /**
   * The folder of the data, which is created if it is missing. To start over, stop the server and delete the
   * folder. null: a temporary folder, which stop() deletes.
   */
  dataDir: string | null;
  /**
   * The port. Default or 0: the port of the last start, or a free one. If the port is in use, a free one is chosen.
   */
  port?: number;
  /**
   * Server settings as in postgresql.conf, for example `{ fsync: "off" }`. A running server with other settings is
   * restarted.
   */
  settings?: Record<string, string>;
  /** Called with messages for the developer: a first start, another port, another folder. */
  log?: (line: string) => void;
};

export type Postgres = {
  /** The URL of the superuser and the database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** The process id of the server; changes with `restart()`. */
  readonly pid: number;
  /**
   * The folder of the data. It differs from the given folder if this process is root and the server's account
   * cannot access the given one.
   */
  readonly dataDir: string;
  /** Restarts the server on the same port. Also starts a crashed server. Throws if the server does not start. */
  restart(): Promise<void>;
  /**
   * Closes all connections and stops the server, even if the server was running before this process started. May be
   * called twice.
   */
  stop(): Promise<void>;
};

/**
 * Starts the server. Does not stop it when the process exits, so the caller must call stop().
 * @throws with the last lines of the server's log
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataDir, settings = {}, log = () => {} } = options;
  const place = await prepareFolder(dataDir, log);
  const forget = async () => {
    if (dataDir === null) await rm(place.folder, { recursive: true, force: true });
  };
  try {
    const cluster = await openCluster(place, settings, log);
    const wanted = options.port || (await lastPort(cluster)) || freePort();
    let server = await launch(cluster, { settings, port: wanted, mayMove: true }, log);
    const { port } = server;
    return {
      url: urlOf(cluster, port),
      port,
      get pid() {
        return server.pid;
      },
      dataDir: place.folder,
      async restart() {
        await stopServer(cluster);
        server = await launch(cluster, { settings, port, mayMove: false }, log);
      },
      async stop() {
        await stopServer(cluster);
        await forget();
      },
    };
  } catch (error) {
    await forget();
    throw error;
  }
}

/**
 * Creates a database and returns its URL. Nobody may be connected to a template while it is copied. Throws
 * PostgreSQL's own error, for example 42P04 if the name is taken.
 */
export async function createDatabase(url: string, name: string, template?: string): Promise<string> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    const from = template === undefined ? "" : ` TEMPLATE ${client.escapeIdentifier(template)}`;
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}${from}`);
  } finally {
    await client.end();
  }
  return Object.assign(new URL(url), { pathname: `/${encodeURIComponent(name)}` }).href;
}
