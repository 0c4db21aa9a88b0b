import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import * as files from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { Client } from "pg";

/*
 * A real PostgreSQL without an installation, for development and tests. pg_ctl gives the server a session of
 * its own, so a Ctrl-C in the terminal reaches this process only, which can drain before it calls stop().
 *
 *   <dataDir>/cluster/    data  password  port  settings.conf  server.log
 *
 * A cluster is made in a folder of another name and renamed when it is complete, so what is called `cluster`
 * is never half made. What a killed process leaves behind (a server, a lock file) is judged, not trusted.
 */

export type PostgresOptions = {
  /** Made when missing. Delete it, with the server stopped, to begin anew. */
  dataDir: string;
  /** Default: the port of the last start, else a free one. A port that is taken is replaced by a free one. */
  port?: number;
  /** As in postgresql.conf, for example `{ fsync: "off" }`. A running server with other ones is restarted. */
  settings?: Record<string, string>;
  /** Receives what a person should know: a first start, another port, another place. */
  log?: (line: string) => void;
};

export type Postgres = {
  /** Superuser, database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** Of the postmaster; changes with `restart()`. */
  readonly pid: number;
  /** Where the data really is: as root, elsewhere when the server's account cannot reach the given folder. */
  readonly dataDir: string;
  /** Stops and starts on the same port; also starts a server that died. Throws when it does not come up. */
  restart(): Promise<void>;
  /** Disconnects everybody and stops the server, also one that was found running. May be called twice. */
  stop(): Promise<void>;
};

type Account = { uid: number; gid: number };
type Tools = { initdb: string; pg_ctl: string };
type Log = (line: string) => void;
type Place = { folder: string; tools: Tools; account: Account | undefined };
type Cluster = Place & { home: string; data: string; password: string; settings: string };
type Running = { pid: number; port: number };
type Wanted = { port: number | undefined; canMove: boolean };

const MAINTENANCE_DATABASE = "postgres";
const LOG_TAIL_LINES = 20;
const ANSWER_TIMEOUT_MS = 30_000;
const START_ATTEMPTS = 20;
const INITDB_FLAGS = [
  ...["--username=postgres", "--auth=scram-sha-256", "--no-instructions"],
  ...["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
];
const THIS_RUN = `${process.pid}-${randomBytes(4).toString("hex")}`;

/**
 * Starts the server of a data folder, or takes over the one that an earlier process left running there.
 * Processes that do so at once share the server. Throws an Error with the end of the server's log when it
 * does not start. Installs no exit hook: the caller stops what it started.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const log = options.log ?? (() => {});
  const settings = settingsFile(options.settings ?? {});
  const place = await choosePlace(resolve(options.dataDir), log);
  const home = join(place.folder, "cluster");
  const password = await prepareCluster(place, home, settings, log);
  const cluster: Cluster = { ...place, home, data: join(home, "data"), password, settings };
  let running = await launch(cluster, { port: options.port, canMove: true }, log);
  const { port } = running;

  return {
    url: urlOf(port, password),
    port,
    get pid() {
      return running.pid;
    },
    dataDir: place.folder,
    async restart() {
      await halt(cluster);
      running = await launch(cluster, { port, canMove: false }, log);
    },
    stop: () => halt(cluster),
  };
}

/**
 * Creates a database and answers its URL. A template must have no connections while it is copied. Throws
 * PostgreSQL's own error, for example 42P04 when the name is taken.
 */
export async function createDatabase(url: string, name: string, template?: string): Promise<string> {
  // PostgreSQL would cut a longer name, and the URL would then name a database that does not exist.
  if (name === "" || Buffer.byteLength(name) > 63)
    throw new Error(`A database name has 1 to 63 bytes: ${name}`);
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    const from = template === undefined ? "" : ` TEMPLATE ${client.escapeIdentifier(template)}`;
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}${from}`);
  } finally {
    await client.end();
  }
  const created = new URL(url);
  created.pathname = `/${encodeURIComponent(name)}`;
  return created.href;
}

const urlOf = (port: number, password: string) =>
  `postgres://postgres:${password}@127.0.0.1:${port}/${MAINTENANCE_DATABASE}`;

/** A file instead of -c flags: pg_ctl hands flags through a shell, which quotes differently by platform. */
function settingsFile(settings: Record<string, string>): string {
  const all = {
    listen_addresses: "127.0.0.1",
    // The path of a socket may have 107 bytes, a project folder has any length.
    unix_socket_directories: "",
    timezone: "UTC",
    log_timezone: "UTC",
    ...settings,
  };
  return Object.entries(all)
    .map(([name, value]) => {
      if (!/^[a-z_][a-z0-9_.]*$/i.test(name) || /[\r\n]/.test(value))
        throw new Error(`Not a setting: ${name}`);
      return `${name} = '${value.replaceAll("\\", "\\\\").replaceAll("'", "''")}'\n`;
    })
    .join("");
}

// Where the data and the programs are, and who runs them

async function choosePlace(dataDir: string, log: Log): Promise<Place> {
  await files.mkdir(dataDir, { recursive: true });
  const folder = realpathSync(dataDir);
  const tools = await findTools();
  // pg_ctl and initdb put their paths between double quotes for a shell.
  if (process.platform !== "win32" && /["$`\\\n]/.test(folder + tools.initdb)) {
    throw new Error(`PostgreSQL does not work with ", $, \` or \\ in the path of a folder: ${folder}`);
  }
  const owner = await ownerOf(join(folder, "cluster"));
  if (process.getuid?.() !== 0) {
    if (owner && process.getuid && owner.uid !== process.getuid()) {
      throw new Error(
        `The database in ${folder} belongs to another account (uid ${owner.uid}): was it started as root?`,
      );
    }
    return { folder, tools, account: undefined };
  }

  // PostgreSQL refuses to run as root.
  const shelter = `data-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`;
  const note = join(folder, "moved.txt");
  const account = owner ?? (await serverAccount());
  const stays = reaches(account, folder) && (existsSync(join(folder, "cluster")) || !existsSync(note));
  return {
    folder: stays ? folder : await moveAway(note, shelter, log),
    tools: reaches(account, tools.initdb) ? tools : await copyTools(tools),
    account,
  };
}

/** Answers the folder that stands in for one the account cannot reach, where a note is left. */
async function moveAway(note: string, name: string, log: Log): Promise<string> {
  const root = await shelterRoot();
  const folder = join(root, name);
  await sweepShelter(root);
  // Who deletes the project's data folder wants to begin anew, so without the note the data goes too.
  if (!existsSync(note)) await files.rm(folder, { recursive: true, force: true, maxRetries: 5 });
  await files.writeFile(
    note,
    `The account that runs PostgreSQL cannot reach this folder. The data is in\n${folder}\n`,
  );
  await files.mkdir(folder, { recursive: true, mode: 0o755 });
  await files.writeFile(join(folder, "note-path"), note);
  log(`The data is in ${folder}, because the account that runs PostgreSQL cannot reach ${dirname(note)}`);
  return folder;
}

/** Removes the data of folders that are gone, or each temporary folder would leave a database behind. */
async function sweepShelter(root: string): Promise<void> {
  for (const name of await files.readdir(root)) {
    const folder = join(root, name);
    const note = await files.readFile(join(folder, "note-path"), "utf8").catch(() => "");
    if (note === "" || existsSync(note)) continue;
    const lock = readLock(join(folder, "cluster", "data"));
    if (lock && lock.pid > 0 && isAlive(lock.pid)) continue;
    await files.rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
}

async function copyTools(tools: Tools): Promise<Tools> {
  const native = dirname(dirname(tools.initdb));
  // The listing is part of the name, so that a package whose links were repaired is copied again.
  const listing = (await files.readdir(join(native, "lib"))).sort().join("\n");
  const key = createHash("sha256").update(
    `${native}\n${(await files.stat(tools.initdb)).mtimeMs}\n${listing}`,
  );
  const copy = join(await shelterRoot(), `programs-${key.digest("hex").slice(0, 16)}`);
  if (!existsSync(copy)) {
    const staging = `${copy}.${THIS_RUN}`;
    await files.cp(native, staging, { recursive: true, verbatimSymlinks: true });
    // A strict umask at installation would otherwise shut the account out of the copy as well.
    for (const entry of await files.readdir(staging, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) await files.chmod(join(entry.parentPath, entry.name), 0o755);
    }
    await files.chmod(staging, 0o755);
    await renameUnlessThere(staging, copy);
  }
  return { initdb: join(copy, "bin", "initdb"), pg_ctl: join(copy, "bin", "pg_ctl") };
}

/** /var/lib where it can be had: what tidies /var/tmp deletes old files, single ones of a database too. */
async function shelterRoot(): Promise<string> {
  for (const parent of ["/var/lib", "/var/tmp"]) {
    const root = join(parent, "embedded-postgres");
    await files.mkdir(root, { mode: 0o755 }).catch(() => {});
    const stat = await files.lstat(root).catch(() => null);
    // Anybody may make a folder of this name below /var/tmp first.
    if (stat?.isDirectory() && stat.uid === 0 && (stat.mode & 0o022) === 0) return root;
  }
  throw new Error("The account that runs PostgreSQL for root needs a folder in /var/lib or /var/tmp");
}

async function ownerOf(path: string): Promise<Account | undefined> {
  const stat = await files.stat(path).catch(() => null);
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : undefined;
}

async function serverAccount(): Promise<Account> {
  const known = accountOf("postgres") ?? accountOf("_postgres");
  if (known) return known;
  attempt(["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/bin/false", "postgres"]) ??
    attempt(["adduser", "-S", "-D", "-H", "-s", "/bin/false", "postgres"]);
  const account = accountOf("postgres") ?? accountOf("nobody");
  if (account) return account;
  throw new Error(
    "PostgreSQL refuses to run as root, and no other account can be used: start as another user",
  );
}

/** The account, if this process may take it on (in some containers no other user exists). */
function accountOf(name: string): Account | undefined {
  const uid = Number(attempt(["id", "-u", name]) ?? Number.NaN);
  const gid = Number(attempt(["id", "-g", name]) ?? Number.NaN);
  const account = { uid, gid };
  return uid > 0 && gid >= 0 && reaches(account, "/") ? account : undefined;
}

const reaches = (account: Account, path: string) =>
  attempt(["/bin/sh", "-c", 'test -x "$0"', path], account) !== undefined;

/** Runs a short command; answers its output, or undefined when it fails or does not exist. */
function attempt(command: string[], account?: Account): string | undefined {
  try {
    const done = Bun.spawnSync(command, { cwd: "/", env: environment(), stdin: "ignore", ...account });
    return done.success ? done.stdout.toString() : undefined;
  } catch {
    return undefined;
  }
}

async function findTools(): Promise<Tools> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // Asked for on behalf of embedded-postgres, because not every installer lifts its dependency to the top.
    const owner = dirname(Bun.resolveSync("embedded-postgres", import.meta.dir));
    return await import(Bun.resolveSync(name, owner));
  } catch {
    throw new Error(`The package ${name} is not installed, or PostgreSQL is not built for this platform`);
  }
}

// Making a cluster

/** Answers the password; makes the cluster first if there is none. */
async function prepareCluster(place: Place, home: string, settings: string, log: Log): Promise<string> {
  await sweep(place.folder);
  if (existsSync(home) && !isComplete(home)) {
    const aside = `${home}-incomplete`;
    await files.rm(aside, { recursive: true, force: true });
    await files.rename(home, aside);
    log(`The database in ${home} is incomplete; it was put aside as ${aside}`);
  }
  if (!existsSync(home)) {
    log("Making a new PostgreSQL database");
    await makeCluster(place, home, settings);
  }
  return readFileSync(join(home, "password"), "utf8");
}

const isComplete = (home: string) =>
  existsSync(join(home, "data", "PG_VERSION")) &&
  existsSync(join(home, "password")) &&
  readFileSync(join(home, "password")).length > 0;

async function makeCluster(place: Place, home: string, settings: string): Promise<void> {
  const staging = join(place.folder, `new-${THIS_RUN}`);
  const data = join(staging, "data");
  const passwordFile = join(staging, "password");
  await files.mkdir(staging, { mode: 0o700 });
  await write(passwordFile, randomBytes(24).toString("base64url"), place.account);
  await write(join(staging, "settings.conf"), settings, place.account);
  if (place.account) await files.chown(staging, place.account.uid, place.account.gid);

  const sync = /^fsync = 'off'$/m.test(settings) ? ["--no-sync"] : [];
  // The collation is PostgreSQL's own and needs nothing of the machine, but text search and trigrams still
  // ask the C library what a letter is, and under plain C none outside ASCII is one.
  for (const letters of ["C.UTF-8", "en_US.UTF-8", "C"]) {
    const own = ["-D", data, `--pwfile=${passwordFile}`, `--lc-ctype=${letters}`, ...sync];
    const made = await run(place, staging, "initdb", [...INITDB_FLAGS, ...own]);
    if (made.ok) break;
    await files.rm(data, { recursive: true, force: true });
    if (letters === "C") throw new Error(explain("PostgreSQL could not make its data folder", made.output));
  }
  await files.appendFile(join(data, "postgresql.conf"), "\ninclude '../settings.conf'\n");
  await renameUnlessThere(staging, home);
}

/** Removes what processes that are no more were making. Whatever resists is met again at the next start. */
async function sweep(folder: string): Promise<void> {
  for (const name of await files.readdir(folder)) {
    const maker = /^new-(\d+)-[0-9a-f]+$/.exec(name)?.[1];
    if (maker === undefined || name === `new-${THIS_RUN}`) continue;
    // In a container the next process often has the same pid.
    if (Number(maker) !== process.pid && isAlive(Number(maker))) continue;
    await files.rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
}

/** Of two processes that make the same thing the first one wins, and both use the winner's. */
async function renameUnlessThere(staging: string, target: string): Promise<void> {
  try {
    await files.rename(staging, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
    await files.rm(staging, { recursive: true, force: true });
  }
}

async function write(path: string, content: string, account: Account | undefined): Promise<void> {
  await files.writeFile(path, content, { mode: 0o600 });
  if (account) await files.chown(path, account.uid, account.gid);
}

// Starting and stopping

async function launch(cluster: Cluster, wanted: Wanted, log: Log): Promise<Running> {
  const changed = await updateSettings(cluster);
  let port = wanted.port ?? (await lastPort(cluster)) ?? (await freePort());
  for (let attempts = 1; ; attempts++) {
    const running = await findRunning(cluster);
    if (running && !changed && (await suits(running, wanted))) return running;
    if (running) await halt(cluster);

    if (wanted.canMove && !(await isFree(port))) {
      const other = await freePort();
      log(`Port ${port} is taken; PostgreSQL uses ${other}`);
      port = other;
    }
    const failure = await startServer(cluster, port);
    if (failure === null) {
      await write(join(cluster.home, "port"), String(port), cluster.account);
      const started = await findRunning(cluster);
      if (started) return started;
    }
    const passes = failure === null || /could not bind|lock file|still in use/.test(failure);
    if (!passes || attempts === START_ATTEMPTS)
      throw new Error(failure ?? "PostgreSQL ended after its start");
    // Another process took the port, or starts or stops the server too, or sessions of a killed one linger.
    await Bun.sleep(500);
  }
}

/** A server elsewhere than asked for is good enough while that port belongs to something else. */
const suits = async (running: Running, { port }: Wanted) =>
  port === undefined || running.port === port || !(await isFree(port));

/** Answers null, or why the server did not start. */
async function startServer(cluster: Cluster, port: number): Promise<string | null> {
  const serverLog = join(cluster.home, "server.log");
  await files.rename(serverLog, join(cluster.home, "server.previous.log")).catch(() => {});
  const started = await run(cluster, cluster.home, "pg_ctl", [
    ...["start", "-w", "-t", "120", "-D", cluster.data, "-l", serverLog, "-o", `-p ${port}`],
  ]);
  if (started.ok) return null;
  const said = await files.readFile(serverLog, "utf8").catch(() => "");
  return explain("PostgreSQL did not start", `${started.output}\n${said}`);
}

async function halt(cluster: Cluster): Promise<void> {
  const lock = readLock(cluster.data);
  if (!lock || !((await isServer(lock.pid, cluster)) || (await isOurs(lock.port, cluster)))) return;
  for (const mode of ["fast", "immediate"]) {
    const stopped = await run(cluster, cluster.home, "pg_ctl", [
      ...["stop", "-w", "-t", "30", "-m", mode, "-D", cluster.data],
    ]);
    // It may have ended by itself, or by another process that shares it.
    if (stopped.ok || !(await isServer(lock.pid, cluster))) return;
  }
  throw new Error(`PostgreSQL (pid ${lock.pid}) does not stop`);
}

async function updateSettings(cluster: Cluster): Promise<boolean> {
  const path = join(cluster.home, "settings.conf");
  if ((await files.readFile(path, "utf8").catch(() => "")) === cluster.settings) return false;
  await write(path, cluster.settings, cluster.account);
  return true;
}

async function lastPort(cluster: Cluster): Promise<number | undefined> {
  const port = Number(await files.readFile(join(cluster.home, "port"), "utf8").catch(() => ""));
  return port > 0 && port < 65_536 ? port : undefined;
}

async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === null) throw new Error("There is no free port on 127.0.0.1");
  return port;
}

const isFree = async (port: number) => (await listenOnce(port)) !== null;

function listenOnce(port: number): Promise<number | null> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once("error", () => settle(null));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => settle(typeof address === "object" && address ? address.port : null));
    });
  });
}

// Judging what is there

/** Answers the cluster's server once it takes connections; removes a lock file that would block a new one. */
async function findRunning(cluster: Cluster): Promise<Running | null> {
  const deadline = Date.now() + ANSWER_TIMEOUT_MS;
  let unreadable = false;
  for (;;) {
    const lock = readLock(cluster.data);
    if (!lock) return null;
    if (lock.pid > 0) {
      if (await isOurs(lock.port, cluster)) return lock;
      // The server removes it by itself, after a look whether sessions of the killed one are still at work.
      if (!isAlive(lock.pid)) return null;
      if (!(await isServer(lock.pid, cluster))) return await removeLock(cluster);
      if (Date.now() > deadline)
        throw new Error(`PostgreSQL (pid ${lock.pid}) does not answer: ${cluster.data}`);
    } else {
      // A server that starts right now may not have written it yet.
      if (unreadable) return await removeLock(cluster);
      unreadable = true;
    }
    await Bun.sleep(lock.pid > 0 ? 50 : 300);
  }
}

/** Answers null without a lock file, and a pid of 0 for one that cannot be read. */
function readLock(data: string): Running | null {
  const path = join(data, "postmaster.pid");
  if (!existsSync(path)) return null;
  const lines = readFileSync(path, "utf8").split("\n");
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return Number.isInteger(pid) && pid > 0 && port > 0 ? { pid, port } : { pid: 0, port: 0 };
}

async function removeLock(cluster: Cluster): Promise<null> {
  await files.rm(join(cluster.data, "postmaster.pid"), { force: true });
  return null;
}

/** Whether what listens there knows the password and serves this very folder. */
async function isOurs(port: number, cluster: Cluster): Promise<boolean> {
  const client = new Client({
    connectionString: urlOf(port, cluster.password),
    connectionTimeoutMillis: 2_000,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory");
    return realpathSync(rows[0]?.data_directory ?? "") === realpathSync(cluster.data);
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Whether this is the cluster's server, also when it starts or stops, and not a later one of that pid. */
async function isServer(pid: number, cluster: Cluster): Promise<boolean> {
  if (pid <= 0) return false;
  if (process.platform === "win32") {
    return (attempt(["tasklist", "/FI", `PID eq ${pid}`, "/NH"]) ?? "").includes("postgres");
  }
  const command =
    process.platform === "linux"
      ? (await files.readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ")
      : (attempt(["ps", "-ww", "-o", "command=", "-p", String(pid)]) ?? "");
  return command.includes(`postgres -D ${cluster.data}`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

// Running the programs

/** `home` must be open to the account. The output goes to a file: on Windows the server would hold a pipe. */
async function run(place: Place, home: string, tool: keyof Tools, args: string[]) {
  const path = join(home, `output-${randomBytes(4).toString("hex")}.log`);
  const output = await files.open(path, "w", 0o600);
  try {
    const child = Bun.spawn([place.tools[tool], ...args], {
      ...place.account,
      ...{ cwd: home, env: environment(), stdin: "ignore", stdout: output.fd, stderr: output.fd },
    });
    const ok = (await child.exited) === 0;
    return { ok, output: readFileSync(path, "utf8") };
  } finally {
    await output.close();
    await files.rm(path, { force: true });
  }
}

/** What loading a program takes and no more: the server may outlive this process and needs no secrets. */
function environment(): Record<string, string> {
  const names = ["PATH", "LD_LIBRARY_PATH", "NIX_LD", "NIX_LD_LIBRARY_PATH", "SystemRoot", "TEMP", "TMP"];
  const kept = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), LC_ALL: "C" };
}

function explain(what: string, output: string): string {
  const tail = output.trim().split("\n").slice(-LOG_TAIL_LINES).join("\n");
  const hint = /error while loading shared libraries|Library not loaded/.test(output)
    ? "\nThe links of its libraries are missing: the postinstall script of the platform's" +
      "\n@embedded-postgres package did not run. List it in trustedDependencies and install again."
    : "";
  return `${what}:\n${tail}${hint}`;
}
