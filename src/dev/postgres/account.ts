/** The account under which the server runs if this process is root. */
export type Account = { uid: number; gid: number };

// The commands that create the account. `su` does not add the folder of useradd to root's PATH. The options of
// adduser are those of BusyBox.
const MAKE_ACCOUNT = `PATH="$PATH:/usr/sbin:/sbin"
id postgres ||
useradd --system --user-group --no-create-home --shell /bin/false postgres ||
adduser -S -D -H -s /bin/false postgres`;

export function serverAccount(): Account {
  sh(MAKE_ACCOUNT);
  for (const name of ["postgres", "nobody"]) {
    const [uid = 0, gid = 0] = (sh('id -u "$0" && id -g "$0"', name) ?? "").split("\n").map(Number);
    // The account is used only if this process can switch to it. In some containers it cannot.
    if (uid > 0 && gid > 0 && canAccess({ uid, gid }, "/")) return { uid, gid };
  }
  throw new Error("PostgreSQL refuses to run as root, and there is no other account: start as another user");
}

export const canAccess = (account: Account, path: string) => sh('test -x "$0"', path, account) !== null;

/** Runs a command. Returns its output, or null if it fails. */
function sh(command: string, argument = "sh", account?: Account): string | null {
  try {
    const done = Bun.spawnSync(["/bin/sh", "-c", command, argument], { cwd: "/", ...account });
    return done.success ? done.stdout.toString() : null;
  } catch {
    return null;
  }
}
