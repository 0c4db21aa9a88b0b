import { afterAll, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/*
 * The scripts of docs/deploy/backup with fake PostgreSQL programs. `bun run proof cluster:restore` runs them with the
 * real ones.
 */
const SCRIPTS = join(import.meta.dir, "../../docs/deploy/backup");
const home = await mkdtemp(join(tmpdir(), "backup-"));
afterAll(() => rm(home, { recursive: true }));
const [bin, backups, files] = [join(home, "bin"), join(home, "backups"), join(home, "files")];
await mkdir(bin);
for (const [name, body] of Object.entries({
  // A stand-in for pg_dump; like the real one, it leaves an incomplete file if it fails.
  pg_dump: 'echo "$OUTCOME" > "$(echo "$3" | cut -d= -f2)"; [ "$OUTCOME" = works ]',
  psql: 'echo "$ARCHIVING"',
})) {
  await writeFile(join(bin, name), `#!/bin/sh\n${body}\n`);
  await chmod(join(bin, name), 0o755);
}

async function run(script: string, env: Record<string, string> = {}, ...given: string[]) {
  const child = Bun.spawn(["sh", join(SCRIPTS, script), ...given], {
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      ...{ BACKUPS: backups, OWNER_URL: "postgres://service@db/service", STORAGE_DIR: files },
      ...{ OUTCOME: "works", ARCHIVING: "ok", ...env },
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out: out.trim(), problems };
}
const dumps = () => readdir(join(backups, "dumps")).then((names) => names.sort());
/** Creates a dump whose name has this time. */
const dumpOf = async (time: string) => {
  await mkdir(join(backups, "dumps", time), { recursive: true });
  return time;
};

beforeEach(async () => {
  for (const folder of [backups, files]) await rm(folder, { recursive: true, force: true });
  await mkdir(files);
  await writeFile(join(files, "image"), "image");
});

test("each dump is a separate folder named by its time, and only the newest dumps are kept", async () => {
  const old = [await dumpOf("2026-11-01T03:07:00Z"), await dumpOf("2026-11-02T03:07:00Z")];
  const { code, out } = await run("dump.sh", { KEEP_DUMPS: "2" });
  const [kept, made = "", ...more] = await dumps();
  expect([code, kept, more]).toEqual([0, old[1] ?? "", []]);
  expect(made).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(out).toBe(join(backups, "dumps", made));
  expect(await Bun.file(join(out, "service.dump")).text()).toBe("works\n");
  expect(await Bun.file(join(out, "files/image")).text()).toBe("image");
});

test("a failed dump, or one of a storage that is not mounted, deletes no earlier dumps and leaves no files", async () => {
  const old = await dumpOf("2026-11-01T03:07:00Z");
  expect((await run("dump.sh", { OUTCOME: "fails", KEEP_DUMPS: "1" })).code).toBe(1);
  expect(await dumps()).toEqual([old]);
  await rm(join(files, "image"));
  const { code, problems } = await run("dump.sh", { KEEP_DUMPS: "1" });
  expect([code, problems]).toEqual([1, `${files} is empty: is it mounted?\n`]);
  expect(await dumps()).toEqual([old]);
});

test("check.sh names missing and outdated backups and failing archiving, and writes metrics about them", async () => {
  const METRICS_FILE = join(home, "backup.prom");
  const metrics = async () =>
    Object.fromEntries(
      (await Bun.file(METRICS_FILE).text())
        .trim()
        .split("\n")
        .map((line) => line.split(/ (?=\d+$)/)),
    );
  const none = await run("check.sh", { METRICS_FILE, ARCHIVING: "archive_mode is off" });
  expect([none.code, none.out.split("\n")]).toEqual([
    1,
    [`${backups}/dumps has no backup`, `${backups}/base has no backup`, "archive_mode is off"],
  ]);
  expect(await metrics()).toMatchObject({
    'backup_newest_seconds{kind="dumps"}': "0",
    backup_archiving: "0",
  });
  const old = await dumpOf(new Date(Date.now() - 30.5 * 3_600_000).toISOString().replace(/\.\d+/, ""));
  const tooOld = await run("check.sh", {}, "dumps");
  const sentence = `${backups}/dumps/${old} is the newest and 30 hours old; the limit is 26`;
  expect([tooOld.code, tooOld.out]).toEqual([1, sentence]);
  expect(await run("check.sh", { MAX_DUMP_HOURS: "31" }, "dumps")).toMatchObject({ code: 0, out: "" });
  await mkdir(join(backups, "base", old), { recursive: true });
  await run("dump.sh");
  expect(await run("check.sh", { METRICS_FILE })).toMatchObject({ code: 0, out: "" });
  const { backup_checked_seconds: checked, ...rest } = await metrics();
  expect(Number(checked)).toBeGreaterThan(Date.now() / 1_000 - 3_600);
  expect(rest).toEqual({
    'backup_newest_seconds{kind="dumps"}': expect.any(String),
    'backup_max_age_seconds{kind="dumps"}': "93600",
    'backup_newest_seconds{kind="base"}': String(Date.parse(old) / 1_000),
    'backup_max_age_seconds{kind="base"}': "691200",
    backup_archiving: "1",
  });
});

/** Puts a program first in PATH that appends its arguments and its PGPASSWORD to `$RECORD`, and then does its work. */
async function recording(folder: string, name: string, work: string) {
  const text = `#!/bin/sh\nprintf '%s\\n' "$PGPASSWORD | ${name} $*" >> "$RECORD"\n${work}\n`;
  await writeFile(join(folder, name), text);
  await chmod(join(folder, name), 0o755);
}

test("no program that the scripts start has a password in its arguments, and those of PostgreSQL get it decoded", async () => {
  const programs = join(home, "programs");
  const RECORD = join(home, "arguments");
  await mkdir(programs);
  // Every other program of the scripts.
  const others =
    "awk cat chmod cp cut date dirname grep head ls mkdir mktemp mv rm sed sleep sort sync tail tar touch";
  for (const name of others.split(" ")) await recording(programs, name, `exec ${Bun.which(name)} "$@"`);
  const base = join(home, "base");
  await mkdir(join(base, "pg_wal"), { recursive: true });
  await writeFile(join(base, "backup_label"), "START WAL LOCATION: 0/1 (file 000000010000000000000001)\n");
  for (const [name, folder] of [
    ["base", base],
    ["pg_wal", files],
  ] as const)
    expect(
      await Bun.spawn(["tar", "-czf", join(home, `${name}.tar.gz`), "-C", folder, ...(await readdir(folder))])
        .exited,
    ).toBe(0);
  const copy = `for a; do case $a in --pgdata=*) cp "${home}"/*.tar.gz "\${a#*=}";; esac; done`;
  await recording(programs, "pg_basebackup", copy);
  await recording(programs, "psql", 'echo "$ARCHIVING"');
  for (const name of ["pg_archivecleanup", "pg_ctl", "pg_restore"]) await recording(programs, name, "");
  await recording(programs, "pg_dump", 'echo dump > "$(echo "$3" | cut -d= -f2)"');
  const url = (user: string) =>
    `postgres://${user}:${user}%20sECRET%2Fd%C3%A9%25@db:5432/service?sslmode=require`;
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    RECORD,
    ...{ OWNER_URL: url("owner"), REPLICATION_URL: url("copier"), ADMIN_URL: url("admin") },
  };
  await writeFile(join(files, "image"), "image");
  const works = async (script: string, more: Record<string, string> = {}, ...given: string[]) => {
    const outcome = await run(script, { ...env, ...more }, ...given);
    expect([script, outcome.code, outcome.problems]).toEqual([script, 0, ""]);
    return outcome.out;
  };
  const dump = await works("dump.sh");
  await works("restore-dump.sh", { RESTORED_NAME: "restored", STORAGE_DIR: join(home, "restored") }, dump);
  await works("base-backup.sh");
  await works("check.sh");
  const later = new Date(Date.now() + 60_000).toISOString();
  await works("restore-to-time.sh", { DATA: join(home, "data"), TIME: later, ARCHIVING: "f" });

  const started = (await readFile(RECORD, "utf8")).trim().split("\n");
  const connected = started.filter((line) => line.includes("--dbname="));
  expect(started.filter((line) => line.split(" | ").slice(1).join(" | ").includes("sECRET"))).toEqual([]);
  const name = (line: string) => /\| (\w+) --dbname=postgres:\/\/(\w+)@db:5432\//.exec(line)?.slice(1);
  expect(new Set(connected.map((line) => name(line)?.join(" ")))).toEqual(
    new Set(["pg_dump owner", "psql admin", "pg_restore owner", "psql owner", "pg_basebackup copier"]),
  );
  for (const line of connected) expect(line.split(" | ")[0]).toBe(`${name(line)?.[1]} sECRET/dé%`);
});

test.each([
  "postgres://db/service?user=owner&password=sECRET",
  "postgres://owner@db/service?sslpassword=sECRET",
  "postgres://owner:a?sECRET@db/service",
  "postgres://owner:a/sECRET@db/service",
  "host=db user=owner password=sECRET dbname=service",
])("a password that would stay in the arguments is refused: %s", async (OWNER_URL) => {
  const programs = join(home, "refusing");
  const RECORD = join(home, "refused");
  await mkdir(programs, { recursive: true });
  await recording(programs, "pg_dump", "");
  const outcome = await run("dump.sh", { OWNER_URL, RECORD, PATH: `${programs}:${process.env.PATH}` });
  expect([outcome.code, outcome.problems.includes("sECRET")]).toEqual([2, false]);
  expect(outcome.problems).toContain("URL");
  expect(await Bun.file(RECORD).exists()).toBe(false);
});

test("roles.sh reads the password of the role from its environment", async () => {
  const script = await readFile(join(SCRIPTS, "../roles.sh"), "utf8");
  expect(script).toContain("\\getenv password API_PASSWORD\n");
  expect(script).not.toMatch(/psql[^\n]*(?:\$\(|password)/);
});
