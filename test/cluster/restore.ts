import { chmod, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { migrateAll } from "../../src/app/migrate.ts";
import { freePort } from "../../src/dev/postgres/launch.ts";
import { findPrograms } from "../../src/dev/postgres/programs.ts";
import { createDatabase, startPostgres } from "../../src/dev/postgres.ts";
import type { Caller } from "../support/caller.ts";
import { until } from "../support/cluster.ts";
import { OWN_TICKETS, read, report, type Ticket } from "../support/helpdesk.ts";
import { pngWith } from "../support/images.ts";
import { openFolder } from "../support/replica.ts";
import { startService } from "../support/service.ts";
import { fetchTools } from "./parts.ts";

/*
 * `bun run cluster:restore`: runs the commands of docs/operate.md, "Backup", as they are written there, on a service with data,
 * and checks what is restored: to a point in time, and from a dump.
 */

const ROOT = join(import.meta.dir, "../..");
const document = await Bun.file(join(ROOT, "docs/operate.md")).text();

/** The commands of the document under this comment. */
function commands(title: string): string {
  const block = new RegExp(`^\`\`\`sh\\n# ${title}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(document)?.[1];
  if (block === undefined) throw new Error(`docs/operate.md has no commands "${title}"`);
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
await chmod(archive, 0o777);
const primary = await startPostgres({
  dataDir: null,
  settings: {
    archive_mode: "on",
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f.new && mv ${archive}/%f.new ${archive}/%f`,
    archive_timeout: "60",
  },
});
const { uid, gid } = await stat(join(primary.dataDir, "cluster/data"));
const account = process.getuid?.() === 0 ? { uid, gid } : {};
const databaseUrl = await createDatabase(primary.url, "service");
const sql = new SQL({ url: databaseUrl, max: 1 });

/** Runs commands of the document as they stand there, and prints what they print. */
async function run(title: string, added: Record<string, string> = {}, as: object = {}) {
  const since = performance.now();
  const child = Bun.spawn(["sh", "-eu", "-c", commands(title)], {
    cwd: ROOT,
    env: {
      PATH: `${bin}:${dirname(pg_ctl)}:${process.env.PATH}`,
      BACKUPS: backups,
      DATABASE_URL: databaseUrl,
      STORAGE_DRIVER: "local",
      STORAGE_DIR: files,
      ...added,
    },
    stdout: "pipe",
    stderr: "pipe",
    ...as,
  });
  const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`"${title}" failed:\n${out}${problems}`);
  console.log(
    `${title}: ${((performance.now() - since) / 1_000).toFixed(1)} s\n${out.replaceAll(/^/gm, "    ")}`,
  );
}

const startOn = (url: string) =>
  startService({ STORAGE_DRIVER: "local", STORAGE_DIR: files }, { databaseUrl: url, keep: true });
const imagesOf = async (who: Caller, { id }: Ticket) =>
  (await read(who, OWN_TICKETS, id)).messages[0]?.attachments.length;

await migrateAll(databaseUrl);
const service = await startOn(databaseUrl);
const first = await service.person();
const ofFirst = await report(first, {}, [pngWith()]);
await run("dump");
await run("base backup");
const second = await service.person();
const [kept, lost] = [await report(second, {}, [pngWith()]), await report(second, {}, [pngWith()])];
const [{ time }] = await sql`SELECT clock_timestamp() AS time`;
await Bun.sleep(50);
// The mistake, and what came after it.
await sql`UPDATE users SET is_deleted = true, deleted_at = now() WHERE email = ${second.email}`;
const third = await service.person();
await report(third, {}, [pngWith()]);
await service.stop();
const [{ segment }] = await sql`SELECT pg_walfile_name(pg_switch_wal()) AS segment`;
await until(async () => ((await readdir(archive)).includes(segment) ? true : null));
// Objects are deleted once they are an hour old. The object of one image is lost.
await Bun.spawn(["sh", "-c", `find ${files} -type f -exec touch -d '2 hours ago' {} +`]).exited;
await rm(join(files, "helpdesk", lost.id, lost.messages[0]?.attachments[0]?.id ?? ""));

console.log(`\nTo ${time.toISOString()}`);
const home = await openFolder("restored");
const port = freePort();
const settings = { listen_addresses: "'127.0.0.1'", port, unix_socket_directories: "''" };
const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
await writeFile(join(home, "settings.conf"), lines.join(""));
const restoredUrl = Object.assign(new URL(databaseUrl), { port: String(port) }).href;
const restored = { DATA: join(home, "data"), TIME: time.toISOString(), RESTORED_URL: restoredUrl };
for (const folder of [backups, home]) await Bun.spawn(["chown", "-R", `${uid}:${gid}`, folder]).exited;
await run("restore to a time", restored, account);
await run("after a restore to a time", restored);
await check(restoredUrl, { there: [first, second], gone: [third] });
const atTime = await startOn(restoredUrl);
const reader = second.at(atTime.url);
await reader.login();
expectEqual("an image of then is shown", await imagesOf(reader, kept), 1);
expectEqual("an image without its object is not", await imagesOf(reader, lost), 0);
const objects = await readdir(join(files, "helpdesk"), { recursive: true, withFileTypes: true });
expectEqual("objects of later are deleted", objects.filter((entry) => entry.isFile()).length, 2);
await atTime.stop();
const stop = [pg_ctl, "-D", restored.DATA, "-m", "fast", "-w", "stop"];
await Bun.spawn(stop, { cwd: home, stdout: "ignore", ...account }).exited;

console.log("\nFrom the dump");
const dumpUrl = Object.assign(new URL(databaseUrl), { pathname: "/restored" }).href;
await run("restore the dump", { RESTORED_URL: dumpUrl, ADMIN_URL: primary.url });
await check(dumpUrl, { there: [first], gone: [second, third] });
const ofDump = await startOn(dumpUrl);
const again = first.at(ofDump.url);
await again.login();
expectEqual("an image of then is shown", await imagesOf(again, ofFirst), 1);
await ofDump.stop();

await sql.close();
await primary.stop();
for (const folder of [backups, home]) await rm(folder, { recursive: true, force: true });
console.log("\nRestored both ways, by the commands of docs/operate.md");
process.exit(0);

/** Who is there, and that no session is live. */
async function check(url: string, { there, gone }: { there: Caller[]; gone: Caller[] }) {
  const restored = new SQL({ url, max: 1 });
  const rows: { email: string }[] = await restored`SELECT email FROM users WHERE NOT is_deleted`;
  const emails = new Set(rows.map(({ email }) => email));
  expectEqual(
    "whoever was there is there",
    there.filter(({ email }) => !emails.has(email)),
    [],
  );
  expectEqual(
    "whoever came later is not",
    gone.filter(({ email }) => emails.has(email)),
    [],
  );
  const live = await restored`SELECT FROM refresh_tokens WHERE revoked_at IS NULL`;
  expectEqual("no session is live", live.length, 0);
  await restored.close();
}
