import { rm } from "node:fs/promises";
import { Client } from "pg";
import { lastPort, openCluster, urlOf } from "./postgres/cluster.ts";
import { prepareFolder } from "./postgres/folder.ts";
import { freePort, launch, stopServer } from "./postgres/launch.ts";

/*
 * A real PostgreSQL without an installation, for development and tests. The server runs in its own session (setsid), so
 * a Ctrl-C in the terminal reaches only this process, which can drain before it calls stop(). A server that
 * a killed process left running is reused by the next start.
 */

export type PostgresOptions = {
  /** Created if missing. Delete it, with the server stopped, to start over. null: a temporary one that stop() deletes. */
  dataDir: string | null;
  /** Default, or 0: the port of the last start, otherwise a free one. A port that is in use is replaced by a free one. */
  port?: number;
  /** As in postgresql.conf, for example `{ fsync: "off" }`. A running server with different settings is restarted. */
  settings?: Record<string, string>;
  /** Receives messages for the developer: a first start, another port, another folder. */
  log?: (line: string) => void;
};

export type Postgres = {
  /** Superuser, database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Process id of the postmaster; changes with `restart()`. */
  readonly pid: number;
  /** Where the data is: when run as root, elsewhere if the server's account cannot access the given folder. */
  readonly dataDir: string;
  /** Stops and starts on the same port; also starts a server that crashed. Throws when it does not start. */
  restart(): Promise<void>;
  /** Closes all connections and stops the server, even one that was already running. May be called twice. */
  stop(): Promise<void>;
};

/** Installs no exit hook: the caller stops what it started. @throws with the last lines of the server's log */
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
 * Creates a database and returns its URL. A template must have no connections while it is copied. Throws
 * PostgreSQL's own error, for example 42P04 when the name is taken.
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
