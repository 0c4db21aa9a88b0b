import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, chown, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log, ServerFolder } from "./folder.ts";
import { run } from "./programs.ts";

/*
 * The files of a cluster: <dataDir>/cluster/    data  password  settings.conf  server.log
 *
 * A cluster is created in a folder with another name, which is renamed when it is complete. So the folder `cluster`
 * is never incomplete.
 */

export type Settings = Record<string, string>;
export type Cluster = ServerFolder & { home: string; data: string; password: string };

export async function openCluster(place: ServerFolder, settings: Settings, log: Log): Promise<Cluster> {
  const home = join(place.folder, "cluster");
  if (!existsSync(home)) {
    log("Making a new PostgreSQL database");
    await makeCluster(place, home, settings.fsync === "off" ? ["--no-sync"] : []);
  }
  for (const name of await readdir(place.folder))
    if (name.startsWith("new-")) await rm(join(place.folder, name), { recursive: true }).catch(() => {});
  const password = await readFile(join(home, "password"), "utf8");
  return { ...place, home, data: join(home, "data"), password };
}

export const urlOf = ({ password }: Cluster, port: number) =>
  `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;

async function makeCluster(place: ServerFolder, home: string, flags: string[]): Promise<void> {
  const staging = await mkdtemp(join(place.folder, "new-"));
  const password = join(staging, "password");
  await write(place, password, randomBytes(24).toString("base64url"));
  if (place.account) await chown(staging, place.account.uid, place.account.gid);
  await initialize(place, staging, [`--pwfile=${password}`, ...flags]);
  await appendFile(join(staging, "data/postgresql.conf"), "\ninclude '../settings.conf'\n");
  await rename(staging, home);
}

/**
 * PostgreSQL's built-in locale provider does not depend on the machine. But pg_trgm asks the C library which
 * characters are letters, and in the C locale only ASCII letters are. C.UTF-8 does not exist everywhere, for example
 * not on macOS.
 */
async function initialize(place: ServerFolder, home: string, flags: string[]): Promise<void> {
  const data = join(home, "data");
  let failure: string | null = null;
  for (const letters of ["C.UTF-8", "en_US.UTF-8", "C"]) {
    failure = await run(place, home, "initdb", [
      ...["-D", data, "--username=postgres", "--auth=scram-sha-256", "--no-instructions", "--encoding=UTF8"],
      ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", `--lc-ctype=${letters}`],
      ...flags,
    ]);
    if (failure === null) return;
    await rm(data, { recursive: true, force: true });
  }
  throw new Error(`PostgreSQL could not make its data folder:\n${failure}`);
}

/** Stores the port in the settings, for the next start. Returns whether they changed. */
export async function writeSettings(cluster: Cluster, settings: Settings, port: number): Promise<boolean> {
  const all: Settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    // The socket is in a folder with a short path: a socket's path is limited to 107 bytes, but the path of a
    // project is not.
    unix_socket_directories: "",
    timezone: "UTC",
    log_timezone: "UTC",
    ...settings,
  };
  // The settings are written to a file: pg_ctl passes options through a shell, and quoting differs by platform.
  const text = Object.entries(all)
    .map(([name, value]) => `${name} = '${value.replaceAll(/['\\]/g, "$&$&")}'\n`)
    .join("");
  if (text === (await readSettings(cluster))) return false;
  await write(cluster, join(cluster.home, "settings.conf"), text);
  return true;
}

export async function lastPort(cluster: Cluster): Promise<number> {
  return Number(/^port = '(\d+)'$/m.exec(await readSettings(cluster))?.[1] ?? 0);
}

const readSettings = (cluster: Cluster) =>
  readFile(join(cluster.home, "settings.conf"), "utf8").catch(() => "");

async function write({ account }: ServerFolder, path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  if (account) await chown(path, account.uid, account.gid);
}
