import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Client, DatabaseError } from "pg";
import { type Cluster, type Settings, urlOf, writeSettings } from "./cluster.ts";
import type { Log } from "./folder.ts";
import { run } from "./programs.ts";

/*
 * Finds the running server by postmaster.pid, the server's lock file. After a crash, the process id in it may
 * belong to no process or to another program. So the file counts only if the server on its port accepts the
 * cluster's password. A wrong result is harmless: the server has a second lock in shared memory, and then does not
 * start.
 */

export type Server = { pid: number; port: number };
type Wanted = { settings: Settings; port: number; mayMove: boolean };

/** Starts the server, or reuses one that runs with the same settings. */
export async function launch(cluster: Cluster, wanted: Wanted, log: Log): Promise<Server> {
  const running = await findServer(cluster);
  let { port } = wanted;
  const changed = await writeSettings(cluster, wanted.settings, port);
  if (running && !changed) return running;
  if (running) await stopServer(cluster);

  for (let attempt = 1; ; attempt += 1) {
    await rm(join(cluster.home, "server.log"), { force: true });
    const failure = await run(cluster, cluster.home, "pg_ctl", ["start", "-s", "-w", "-D", cluster.data]);
    const server = failure === null ? await readLock(cluster) : null;
    if (server) return server;

    const isPortInUse = wanted.mayMove && failure?.includes("could not bind");
    // The start is repeated, because the backends of a killed server may live a little longer.
    if (attempt === 20 || !(isPortInUse || failure?.includes("is still in use")))
      throw new Error(`PostgreSQL did not start:\n${failure}`);
    if (isPortInUse) {
      log(`Port ${port} is in use; PostgreSQL uses another`);
      port = freePort();
      await writeSettings(cluster, wanted.settings, port);
    } else await Bun.sleep(500);
  }
}

export async function stopServer(cluster: Cluster): Promise<void> {
  const lock = await readLock(cluster);
  if (lock === null || (await ask(cluster, lock)) === "stranger") return;
  const args = ["stop", "-s", "-w", "-m", "fast", "-D", cluster.data];
  const failure = await run(cluster, cluster.home, "pg_ctl", args);
  if (failure && isAlive(lock.pid)) throw new Error(`PostgreSQL did not stop:\n${failure}`);
}

export function freePort(): number {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  probe.stop(true);
  return probe.port;
}

/** Returns the server as soon as it accepts connections. If there is no server, removes a stale lock file. */
async function findServer(cluster: Cluster): Promise<Server | null> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await Bun.sleep(50)) {
    const lock = await readLock(cluster);
    if (lock === null) return null;
    const state = await ask(cluster, lock);
    if (state === "ready") return lock;
    if (state === "stranger") await rm(lockOf(cluster), { force: true });
  }
  throw new Error(`PostgreSQL does not respond. If ${lockOf(cluster)} names another program, delete it.`);
}

async function ask(cluster: Cluster, { pid, port }: Server): Promise<"ready" | "busy" | "stranger"> {
  if (!isAlive(pid)) return "stranger";
  const client = new Client({ connectionString: urlOf(cluster, port), connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
    // The data folder is compared too, because a copy of the whole folder has the same password.
    return resolve(rows[0]?.data_directory ?? "") === cluster.data ? "ready" : "stranger";
  } catch (error) {
    // Error codes of a server that exists. Class 57: it is starting or stopping. Class 53: too many connections.
    // Class 28: a wrong password.
    const isBusy = error instanceof DatabaseError && /^5[37]/.test(error.code ?? "");
    return isBusy || String(error).includes("timeout") ? "busy" : "stranger";
  } finally {
    await client.end().catch(() => {});
  }
}

/** Reads the lock file. Returns null if there is none. The pid of an unreadable lock file is 0. */
async function readLock(cluster: Cluster): Promise<Server | null> {
  const text = await readFile(lockOf(cluster), "utf8").catch(() => null);
  if (text === null) return null;
  const [pid, , , port] = text.split("\n").map(Number);
  return pid && port && pid > 0 ? { pid, port } : { pid: 0, port: 0 };
}

const lockOf = (cluster: Cluster) => join(cluster.data, "postmaster.pid");

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}
