import { existsSync, realpathSync } from "node:fs";
import { chmod, lstat, mkdir, mkdtemp, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Account, canAccess, serverAccount } from "./account.ts";
import { copyPrograms, findPrograms, type Runner } from "./programs.ts";

/*
 * PostgreSQL refuses to run as root, so it runs under another account. If that account cannot access a folder, such
 * as a project in /root, a replacement in /var/lib is used: a copy of the programs, and a folder for the data.
 */

export type ServerFolder = Runner & { folder: string };

export type Log = (line: string) => void;

export async function prepareFolder(dataDir: string | null, log: Log): Promise<ServerFolder> {
  const programs = await findPrograms();
  const owner = dataDir === null ? null : await stat(join(dataDir, "cluster")).catch(() => null);
  const uid = process.getuid?.();
  if (uid === 0) {
    const account = owner?.uid ? { uid: owner.uid, gid: owner.gid } : serverAccount();
    const folder = await (dataDir === null ? makeTemporary(account) : reachable(dataDir, account, log));
    if (canAccess(account, programs.initdb)) return { folder, programs, account };
    return { folder, programs: await copyPrograms(programs, await shelter()), account };
  }
  if (owner && uid !== undefined && owner.uid !== uid)
    throw new Error(`The database in ${dataDir} belongs to another account (uid ${owner.uid})`);
  if (dataDir === null) return { folder: await makeTemporary(), programs, account: undefined };
  await mkdir(dataDir, { recursive: true });
  return { folder: realpathSync(dataDir), programs, account: undefined };
}

/**
 * A symbolic link in the folder points to the replacement. If the folder is deleted, the link is deleted too, and
 * the next start begins with new data.
 */
async function reachable(dataDir: string, account: Account, log: Log): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const folder = realpathSync(dataDir);
  const link = join(folder, "moved-to");
  if (canAccess(account, folder) && !existsSync(link)) return folder;
  const standIn = join(await shelter(), `data-${Bun.hash(folder).toString(36)}`);
  if (!existsSync(link)) {
    for (const old of [link, standIn]) await rm(old, { recursive: true, force: true });
    await makeOpen(standIn);
    await symlink(standIn, link);
  }
  log(`The data is in ${standIn}: the account that runs PostgreSQL cannot reach ${folder}`);
  return standIn;
}

async function makeTemporary(account?: Account): Promise<string> {
  const parent = !account || canAccess(account, tmpdir()) ? tmpdir() : await shelter();
  const folder = await mkdtemp(join(realpathSync(parent), "postgres-"));
  if (account) await chmod(folder, 0o755);
  return folder;
}

/** /var/lib is preferred: cleaners of /var/tmp delete old files, even single files of a database. */
async function shelter(): Promise<string> {
  for (const parent of ["/var/lib", "/var/tmp"]) {
    const folder = join(parent, "embedded-postgres");
    await makeOpen(folder).catch(() => {});
    const found = await lstat(folder).catch(() => null);
    // The owner of the folder is checked, because any user could have created a folder with this name in /var/tmp.
    if (found?.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0) return folder;
  }
  throw new Error("As root, PostgreSQL needs a folder of its own in /var/lib or /var/tmp");
}

/** Makes the folder accessible for the account, independently of the umask. */
async function makeOpen(folder: string): Promise<void> {
  await mkdir(folder);
  await chmod(folder, 0o755);
}
