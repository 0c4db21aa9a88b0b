import { chmod, chown, cp, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../../../src/dev/postgres/launch.ts";
import { findPrograms } from "../../../src/dev/postgres/programs.ts";
import { startPostgres } from "../../../src/dev/postgres.ts";
import type { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { OWN_TICKETS, read, report, type Ticket } from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { openFolder } from "../../support/replica.ts";
import { startService } from "../../support/service.ts";
import { fetchTools } from "./parts.ts";

/*
 * `bun run proof cluster:restore` finds backups that cannot be restored as documented. It runs the commands of
 * docs/operate/backup.md, exactly as written there, for a service with data. Its PostgreSQL accepts only TLS, and has
 * two roles for backups. Each kind of backup is taken twice and restored twice, to other servers.
 */

const ROOT = join(import.meta.dir, "../../..");
const CERTIFICATE = join(ROOT, "test/support/tls/certificate.pem");
// The certificate is set by a restart of this process: the service runs in it, and a process reads additional
// certificates only when it starts.
if (process.env.NODE_EXTRA_CA_CERTS !== CERTIFICATE) {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: CERTIFICATE };
  process.exit(
    await Bun.spawn(["bun", import.meta.path], { env, stdio: ["ignore", "inherit", "inherit"] }).exited,
  );
}
const document = await Bun.file(join(ROOT, "docs/operate/backup.md")).text();

/** Returns the commands of docs/operate/backup.md below a given comment. */
function commands(title: string): string {
  const block = new RegExp(`^\`\`\`sh\\n# ${title}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(document)?.[1];
  if (block === undefined) throw new Error(`docs/operate/backup.md has no commands "${title}"`);
  return block;
}

function expectEqual(what: string, got: unknown, wanted: unknown) {
  if (JSON.stringify(got) !== JSON.stringify(wanted))
    throw new Error(`${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
  console.log(`  ok: ${what}`);
}

const { bin } = await fetchTools();
const { pg_ctl } = await findPrograms();
const backups = await openFolder("backups");
const [archive, files] = [join(backups, "wal"), join(backups, "live-files")];
await mkdir(archive);
const tls = await openFolder("tls");
await cp(join(dirname(CERTIFICATE), "key.pem"), join(tls, "key.pem"));
await cp(CERTIFICATE, join(tls, "certificate.pem"));
/** Requires TLS for all roles except the superuser of this program. */
await writeFile(
  join(tls, "pg_hba.conf"),
  `host all postgres 127.0.0.1/32 scram-sha-256
hostssl all all 127.0.0.1/32 scram-sha-256
hostssl replication all 127.0.0.1/32 scram-sha-256\n`,
);
await chmod(join(tls, "key.pem"), 0o600);
const TLS = {
  ssl: "on",
  ssl_cert_file: join(tls, "certificate.pem"),
  ssl_key_file: join(tls, "key.pem"),
  hba_file: join(tls, "pg_hba.conf"),
};
// The files are created first, and belong to the account as which PostgreSQL runs.
const probe = await startPostgres({ dataDir: null });
const { uid, gid } = await stat(join(probe.dataDir, "cluster/data"));
await probe.stop();
for (const path of [join(tls, "key.pem"), archive]) await chown(path, uid, gid);
const account = process.getuid?.() === 0 ? { uid, gid } : {};

const primary = await startPostgres({
  dataDir: null,
  settings: {
    ...TLS,
    archive_mode: "on",
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f.new && mv ${archive}/%f.new ${archive}/%f`,
    archive_timeout: "60",
  },
});
const admin = new SQL({ url: primary.url, max: 1 });

/** The roles of docs/operate/deploy.md, "Database roles", and docs/operate/backup.md. */
const ROLES = {
  service: "LOGIN",
  service_api: "LOGIN",
  service_backup: "LOGIN REPLICATION",
  service_admin: "LOGIN CREATEDB IN ROLE service",
};
async function createRoles(url: string, names: string[]) {
  const sql = new SQL({ url, max: 1 });
  for (const [role, options] of Object.entries(ROLES))
    if (names.includes(role)) await sql.unsafe(`CREATE ROLE ${role} ${options} PASSWORD '${role}'`);
  await sql.close();
}
/** Returns the URL for a role, over TLS with a verified certificate. */
const urlAs = (role: keyof typeof ROLES, base: string, database: string) =>
  `postgres://${role}:${role}@${new URL(base).host}/${database}?sslmode=verify-full`;

await createRoles(primary.url, ["service", "service_api", "service_backup"]);
await admin`CREATE DATABASE service OWNER service`;

type Options = { env?: Record<string, string>; as?: object };
/** Runs commands with the variables of docs/operate/backup.md. Returns their output. */
async function execute(script: string, { env = {}, as = {} }: Options = {}) {
  const child = Bun.spawn(["sh", "-eu", "-c", script], {
    cwd: ROOT,
    env: {
      PATH: `${bin}:${dirname(pg_ctl)}:${process.env.PATH}`,
      BACKUPS: backups,
      OWNER_URL: urlAs("service", primary.url, "service"),
      REPLICATION_URL: urlAs("service_backup", primary.url, "service"),
      PGSSLROOTCERT: join(tls, "certificate.pem"),
      NODE_EXTRA_CA_CERTS: CERTIFICATE,
      NODE_ENV: "production",
      REQUIRE_TLS: "true",
      DATABASE_API_ROLE: "service_api",
      STORAGE_DRIVER: "local",
      STORAGE_DIR: files,
      ...env,
    },
    stdout: "pipe",
    stderr: "pipe",
    ...as,
  });
  const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out, problems };
}

/** Runs commands of docs/operate/backup.md unchanged, and prints their output. */
async function run(title: string, options: Options = {}): Promise<string> {
  const since = performance.now();
  const { code, out, problems } = await execute(commands(title), options);
  if (code !== 0) throw new Error(`"${title}" failed:\n${out}${problems}`);
  console.log(
    `${title}: ${((performance.now() - since) / 1_000).toFixed(1)} s\n${out.replaceAll(/^/gm, "    ")}`,
  );
  return out.trim();
}

/** Starts the service on a database, with the role that owns nothing. */
const startOn = (base: string, database: string, folder: string) =>
  startService(
    {
      STORAGE_DRIVER: "local",
      STORAGE_DIR: folder,
      DATABASE_URL: urlAs("service_api", base, database),
    },
    { databaseUrl: Object.assign(new URL(base), { pathname: `/${database}` }).href, keep: true },
  );
const imagesOf = async (who: Caller, { id }: Ticket) =>
  (await read(who, OWN_TICKETS, id)).messages[0]?.attachments.length;
const listed = async (kind: string) => (await readdir(join(backups, kind))).sort();
const chownAll = (...folders: string[]) => Bun.spawn(["chown", "-R", `${uid}:${gid}`, ...folders]).exited;

console.log("\nBackups, twice");
await execute("bun run migrate", { env: { DATABASE_URL: urlAs("service", primary.url, "service") } }).then(
  ({ code, problems }) => expectEqual(`migrated as the owner ${problems}`, code, 0),
);
const service = await startOn(primary.url, "service", files);
const first = await service.person();
const ofFirst = await report(first, {}, [pngWith()]);
await chown(backups, uid, gid);
const dumps = [await run("dump"), ""];
await run("base backup", { as: account, env: { KEEP_BASES: "1" } });
const [oldBase] = await listed("base");
const oldSegments = await listed("wal");
const second = await service.person();
const [kept, lost] = [await report(second, {}, [pngWith()]), await report(second, {}, [pngWith()])];
await Bun.sleep(1_100);
dumps[1] = await run("dump");
await run("base backup", { as: account, env: { KEEP_BASES: "1" } });
expectEqual(
  "two dumps are kept",
  await listed("dumps"),
  dumps.map((path) => path.slice(-20)),
);
const [base, ...more] = await listed("base");
expectEqual("one base backup is kept, the newer", [base !== oldBase, more], [true, []]);
const remaining = await listed("wal");
expectEqual(
  "no segment from before it is",
  oldSegments.filter((one) => remaining.includes(one)),
  [],
);
expectEqual("the check finds nothing wrong", await run("check"), "");

console.log("\nBackups that fail");
const wrong = { OWNER_URL: urlAs("service", primary.url, "gone") };
const failed = [
  await execute(commands("dump"), { env: wrong }),
  await execute(commands("dump"), { env: { STORAGE_DIR: await openFolder("not-mounted") } }),
  await execute(commands("base backup"), { env: { REPLICATION_URL: wrong.OWNER_URL } }),
  await execute(commands("check"), { env: { MAX_DUMP_HOURS: "0" } }),
];
expectEqual(
  "they exit with 1",
  failed.map(({ code }) => code),
  [1, 1, 1, 1],
);
expectEqual(
  "they leave the former ones",
  [await listed("dumps"), await listed("base")],
  [dumps.map((path) => path.slice(-20)), [base]],
);
await rm(archive, { recursive: true });
await admin`SELECT pg_switch_wal()`;
await until(async () =>
  (await execute(commands("check"))).out.includes("archive_command failed last at") ? true : null,
);
console.log("  ok: the check says that archiving fails");
await mkdir(archive);
await chown(archive, uid, gid);
await until(async () => ((await execute(commands("check"))).code === 0 ? true : null));
await Bun.sleep(1_100);
await run("base backup", { as: account });

const [{ time }] = await admin`SELECT clock_timestamp() AS time`;
const sql = new SQL({ url: Object.assign(new URL(primary.url), { pathname: "/service" }).href, max: 1 });
await Bun.sleep(50);
// Makes the mistake that the restore undoes, and then further changes.
await sql`UPDATE users SET is_deleted = true, deleted_at = now() WHERE email = ${second.email}`;
const [{ later }] = await sql`SELECT clock_timestamp() AS later`;
await Bun.sleep(50);
const third = await service.person();
await report(third, {}, [pngWith()]);
await service.stop();
const [{ segment }] = await sql`SELECT pg_walfile_name(pg_switch_wal()) AS segment`;
await until(async () => ((await readdir(archive)).includes(segment) ? true : null));
// Objects are backdated, because only objects older than an hour are deleted. The object of one image is deleted,
// as if it were lost.
await Bun.spawn(["sh", "-c", `find ${files} -type f -exec touch -d '2 hours ago' {} +`]).exited;
await rm(join(files, "helpdesk", lost.id, lost.messages[0]?.attachments[0]?.id ?? ""));
const liveFiles = join(backups, "files-of-then");

/** Restores a backup to a point in time, on a new server. */
async function restoreTo(when: Date, examine: (base: string) => Promise<void>) {
  console.log(`\nTo ${when.toISOString()}`);
  const home = await openFolder("restored");
  const port = freePort();
  const settings = {
    listen_addresses: "'127.0.0.1'",
    port,
    unix_socket_directories: "''",
    ...Object.fromEntries(Object.entries(TLS).map(([name, value]) => [name, `'${value}'`])),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(join(home, "settings.conf"), lines.join(""));
  await chownAll(home, archive);
  const url = Object.assign(new URL(primary.url), { port: String(port) }).href;
  const env = {
    DATA: join(home, "data"),
    TIME: when.toISOString(),
    OWNER_URL: urlAs("service", url, "service"),
    DATABASE_URL: urlAs("service", url, "service"),
    STORAGE_DIR: liveFiles,
  };
  await rm(liveFiles, { recursive: true, force: true });
  await cp(files, liveFiles, { recursive: true, preserveTimestamps: true });
  await run("restore to a time", { env, as: account });
  await run("after a restore to a time", { env });
  await examine(url);
  const stop = [pg_ctl, "-D", env.DATA, "-m", "fast", "-w", "stop"];
  await Bun.spawn(stop, { cwd: home, stdout: "ignore", ...account }).exited;
  await rm(home, { recursive: true, force: true });
}

await restoreTo(time, async (url) => {
  await check(url, "service", { there: [first, second], gone: [third] });
  const atTime = await startOn(url, "service", liveFiles);
  const reader = second.at(atTime.url);
  await reader.login();
  expectEqual("an image of then is shown", await imagesOf(reader, kept), 1);
  expectEqual("an image without its object is not", await imagesOf(reader, lost), 0);
  const objects = await readdir(join(liveFiles, "helpdesk"), { recursive: true, withFileTypes: true });
  expectEqual("objects of later are deleted", objects.filter((entry) => entry.isFile()).length, 2);
  await atTime.stop();
});
await restoreTo(later, (url) => check(url, "service", { there: [first], gone: [second, third] }));

/** Restores a dump on a new server that has only the roles. */
const other = await startPostgres({ dataDir: null, settings: TLS });
async function restoreDump(dump: string, name: string, people: { there: Caller[]; gone: Caller[] }) {
  console.log(`\nFrom the dump of ${dump}`);
  const env = {
    DUMP: dump,
    ADMIN_URL: urlAs("service_admin", other.url, "postgres"),
    OWNER_URL: urlAs("service", other.url, "service"),
    RESTORED_NAME: name,
    STORAGE_DIR: join(backups, name),
  };
  await run("restore the dump", { env });
  const again = await execute(commands("restore the dump"), { env });
  expectEqual("a database and images that are there are not overwritten", again.code, 1);
  await run("after restoring the dump", { env: { ...env, DATABASE_URL: urlAs("service", other.url, name) } });
  await check(other.url, name, people);
  const ofDump = await startOn(other.url, name, env.STORAGE_DIR);
  const reader = first.at(ofDump.url);
  await reader.login();
  expectEqual("an image of then is shown", await imagesOf(reader, ofFirst), 1);
  await ofDump.stop();
}
await createRoles(other.url, ["service", "service_admin"]);
const withoutRole = await execute(commands("restore the dump"), {
  env: {
    DUMP: dumps[0]?.slice(-20) ?? "",
    ADMIN_URL: urlAs("service_admin", other.url, "postgres"),
    OWNER_URL: urlAs("service", other.url, "service"),
    RESTORED_NAME: "restored",
    STORAGE_DIR: join(backups, "restored"),
  },
});
expectEqual(
  "without a role of the dump nothing is restored, and the error names it",
  [withoutRole.code, withoutRole.problems.includes('role "service_api" does not exist')],
  [1, true],
);
await createRoles(other.url, ["service_api"]);
await restoreDump(dumps[0]?.slice(-20) ?? "", "restored", { there: [first], gone: [second, third] });
await restoreDump(dumps[1]?.slice(-20) ?? "", "restored_again", { there: [first, second], gone: [third] });

await Promise.all([admin.close(), sql.close()]);
await Promise.all([primary.stop(), other.stop()]);
for (const folder of [backups, tls]) await rm(folder, { recursive: true, force: true });
console.log("\nRestored twice each way, by the commands of docs/operate/backup.md");
process.exit(0);

/** Checks which users exist, and that no session is active. */
async function check(base: string, name: string, { there, gone }: { there: Caller[]; gone: Caller[] }) {
  const restored = new SQL({ url: Object.assign(new URL(base), { pathname: `/${name}` }).href, max: 1 });
  const rows: { email: string; owner: string }[] =
    await restored`SELECT email FROM users WHERE NOT is_deleted`;
  const emails = new Set(rows.map(({ email }) => email));
  expectEqual(
    "everybody of then is there",
    there.filter(({ email }) => !emails.has(email)),
    [],
  );
  expectEqual(
    "nobody else is",
    gone.filter(({ email }) => emails.has(email)),
    [],
  );
  const [{ owner }] = await restored`SELECT tableowner AS owner FROM pg_tables WHERE tablename = 'users'`;
  expectEqual("the tables belong to the owner", owner, "service");
  const live = await restored`SELECT FROM refresh_tokens WHERE revoked_at IS NULL`;
  expectEqual("no session is live", live.length, 0);
  await restored.close();
}
