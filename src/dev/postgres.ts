import { rm } from "node:fs/promises";
import { Client } from "pg";
import { lastPort, openCluster, urlOf } from "./postgres/cluster.ts";
import { prepareFolder } from "./postgres/folder.ts";
import { freePort, launch, stopServer } from "./postgres/launch.ts";

/*
 * Runs a real PostgreSQL without an installation, for development and tests. The server has its own session (setsid).
 * So a Ctrl-C in the terminal reaches only this process, which can drain before it calls stop(). If a killed process
 * left its server running, the next start reuses that server.
 */

export type PostgresOptions = {
  /**
   * Folder of the data; created if missing. To start over, stop the server and delete the folder. null: a temporary
   * folder, which stop() deletes.
   */
  dataDir: string | null;
  /** Default or 0: the port of the last start, or a free one. If the port is in use, a free one is chosen. */
  port?: number;
  /**
   * Settings as in postgresql.conf, for example `{ fsync: "off" }`. A running server with other settings is
   * restarted.
   */
  settings?: Record<string, string>;
  /** Receives messages for the developer: a first start, another port, another folder. */
  log?: (line: string) => void;
};

export type Postgres = {
  /** URL of the superuser and the database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Process id of the postmaster; changes with `restart()`. */
  readonly pid: number;
  /**
   * Folder of the data. Differs from the given folder if this process is root and the server's account cannot access
   * that one.
   */
  readonly dataDir: string;
  /** Restarts the server on the same port; also starts a crashed server. Throws if it does not start. */
  restart(): Promise<void>;
  /**
   * Closes all connections and stops the server, even one that already ran before this process. May be called twice.
   */
  stop(): Promise<void>;
};

/**
 * Starts the server. Installs no exit hook, so the caller must call stop().
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
 * Creates a database and returns its URL. A template must have no connections while it is copied. Throws PostgreSQL's
 * own error, for example 42P04 if the name is taken.
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
