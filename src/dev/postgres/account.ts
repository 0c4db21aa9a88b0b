/** The account that runs the server if this process is root. */
export type Account = { uid: number; gid: number };

// `su` does not add the folder of useradd to root's PATH. The options of adduser are those of BusyBox.
const MAKE_ACCOUNT = `PATH="$PATH:/usr/sbin:/sbin"
id postgres ||
useradd --system --user-group --no-create-home --shell /bin/false postgres ||
adduser -S -D -H -s /bin/false postgres`;

export function serverAccount(): Account {
  sh(MAKE_ACCOUNT);
  for (const name of ["postgres", "nobody"]) {
    const [uid = 0, gid = 0] = (sh('id -u "$0" && id -g "$0"', name) ?? "").split("\n").map(Number);
    // In some containers a process cannot switch to another account.
    if (uid > 0 && gid > 0 && canAccess({ uid, gid }, "/")) return { uid, gid };
  }
  throw new Error("PostgreSQL refuses to run as root, and there is no other account: start as another user");
}

export const canAccess = (account: Account, path: string) => sh('test -x "$0"', path, account) !== null;

/** Returns the output, or null if the command fails. */
function sh(command: string, argument = "sh", account?: Account): string | null {
  try {
    const done = Bun.spawnSync(["/bin/sh", "-c", command, argument], { cwd: "/", ...account });
    return done.success ? done.stdout.toString() : null;
  } catch {
    return null;
  }
}
