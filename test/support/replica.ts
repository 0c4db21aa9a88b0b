import { chmod, cp, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { type Postgres, startPostgres } from "../../src/dev/postgres.ts";

/** Creates a temporary folder that the system account of PostgreSQL can enter. */
export async function openFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  await chmod(folder, 0o755);
  return folder;
}

/** Starts a streaming replica of a server on this machine, from a copy of its files; `stop` also deletes the files. */
export async function startReplica(primary: Postgres, settings: Record<string, string> = {}) {
  const folder = await openFolder("replica");
  const [source, home] = [join(primary.dataDir, "cluster"), join(folder, "cluster")];
  await mkdir(home);
  // pg_backup_start and pg_backup_stop must be called in one session. The copy between them is a consistent backup.
  const sql = new SQL({ url: primary.url, max: 1 });
  await sql`SELECT pg_backup_start('replica', fast => true)`;
  // Files of the running server may disappear during the copy.
  await Bun.spawn(["cp", "-R", join(source, "data"), home], { stderr: "ignore" }).exited;
  const [label] = await sql`SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)`;
  await sql.close();
  for (const name of ["postmaster.pid", "postmaster.opts"])
    await rm(join(home, "data", name), { force: true });
  await cp(join(source, "password"), join(home, "password"));
  await writeFile(join(home, "data/backup_label"), label.labelfile);
  await writeFile(join(home, "data/standby.signal"), "");
  const { uid, gid } = await stat(join(source, "data"));
  await Bun.spawn(["chown", "-R", `${uid}:${gid}`, folder]).exited;
  const replica = await startPostgres({
    dataDir: folder,
    settings: { primary_conninfo: primary.url, ...settings },
  });
  const { stop: end } = replica;
  const stop = async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  };
  return Object.assign(replica, { stop, stopServer: end });
}
