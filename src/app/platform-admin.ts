import * as people from "#sql/people/accounts";
import * as accounts from "#sql/users";
import { endAllSessions } from "../core/accounts/end-sessions.ts";
import { newPassword, passwordProblem } from "../core/accounts/passwords.ts";
import type { Config } from "../core/config.ts";
import { type Service, systemCall, type Tx } from "../core/context.ts";
import { email as emailField } from "../core/definitions/fields.ts";
import { audit } from "../core/effects/audit.ts";
import { withEndedApps } from "../core/ends.ts";
import { lockPlatform, lockUsers } from "../core/locks.ts";
import { issueResetLink } from "../features/accounts/reset-password.ts";
import { markEmailVerified } from "../features/accounts/verify-email.ts";
import { endAccessOfNewAdmin } from "../features/users/write.ts";
import { MAX_WAIT_MS } from "../platform/db/connection.ts";
import { transaction } from "../platform/db/transaction.ts";
import { fromStored, toStored } from "../platform/i18n/languages.ts";
import { violations } from "../platform/violations.ts";
import { assertMigrated } from "./assert-migrated.ts";
import { needed } from "./command.ts";
import { readConfig } from "./config.ts";
import { bunRuntime } from "./runtimes/bun.ts";
import { startServices } from "./services.ts";

type Outcome = "promoted" | "reset" | "created";

/** The name of a newly created account. */
const NAMES = { firstName: "Platform", lastName: "Administrator" };

/**
 * Creates a platform administrator (rules 15.3).
 * - A verified account becomes platform administrator without other changes.
 * - An unverified account may have been registered by somebody else, so it loses its password and its sessions. It
 *   becomes verified, which creates the organization that was named at registration.
 * - An account that was new or unverified gets a reset link, or the given password.
 * @throws Error if a deleted account has the email
 */
export async function makePlatformAdmin(
  service: Service,
  email: string,
  password: string | null,
): Promise<Outcome> {
  const passwordHash = password === null ? null : await service.app.hasher.hash(password);
  return transaction(systemCall(service), async (tx) => {
    await lockPlatform(tx);
    // An insert decides whether the account is new, not an earlier look-up: a concurrent call may create the
    // account in between.
    const isNew = await createAdmin(tx, email, passwordHash);
    return isNew ? "created" : promote(tx, email, passwordHash);
  });
}

async function createAdmin(tx: Tx, email: string, passwordHash: string | null): Promise<boolean> {
  const language = tx.app.config.defaultLanguage;
  const [created] = await accounts.insertPlatformAdmin.run(
    { email, ...NAMES, passwordHash, language: toStored(language) },
    tx.db,
  );
  if (created === undefined) return false;
  const { id } = created;
  if (passwordHash === null) await issueResetLink(tx, { id, email, language });
  await audit(tx, "USER_REGISTERED", { actorId: id, target: { type: "user", id } });
  await auditGrant(tx, id);
  return true;
}

async function promote(tx: Tx, email: string, passwordHash: string | null): Promise<Outcome> {
  const [found] = await people.findUserByEmail.run({ email }, tx.db);
  if (found !== undefined) await lockUsers(tx, [found.id]);
  const [user] = await people.findUserByEmail.run({ email }, tx.db);
  if (user === undefined) throw new Error("A deleted account holds this email");
  if (!user.isVerified) {
    await endAllSessions(tx, user.id);
    await accounts.replacePassword.run({ id: user.id, passwordHash }, tx.db);
    if (passwordHash === null)
      await issueResetLink(tx, { id: user.id, email, language: fromStored(user.language) });
    await markEmailVerified(tx, user.id);
  }
  const [granted] = await accounts.makePlatformAdmin.run({ id: user.id }, tx.db);
  if (granted !== undefined) {
    await auditGrant(tx, user.id, await endAccessOfNewAdmin(tx, user));
  }
  return user.isVerified ? "promoted" : "reset";
}

const auditGrant = (tx: Tx, userId: string, endedApps = 0) =>
  audit(tx, "PLATFORM_ADMIN_GRANTED", {
    actorId: null,
    target: { type: "user", id: userId },
    metadata: withEndedApps(endedApps),
  });

const SENTENCES: Record<Outcome, string> = {
  promoted: "is a platform administrator now, with the password that the account has",
  reset: "was unverified: its password and sessions are gone, and it is a platform administrator now",
  created: "is a platform administrator now, with a new account",
};

const USAGE = `Usage: bun run admin <email> [--password]

  --password  read the new password from standard input`;

/** Runs `bun run admin` with its arguments. @throws Error with the usage text for others, or with what is wrong */
export async function runAdmin(given: string[]): Promise<void> {
  const options = given.filter((argument) => argument.startsWith("--"));
  const [address, ...more] = given.filter((argument) => !argument.startsWith("--"));
  if (address === undefined || more.length > 0 || options.some((option) => option !== "--password"))
    throw new Error(USAGE);
  const config = needed(readConfig(process.env));
  const email = emailField.safeParse(address);
  if (!email.success) throw new Error(`${address} is no email address`);
  const password = options.length > 0 ? (await Bun.stdin.text()).replace(/\r?\n$/, "") : null;
  const complaint = password === null ? null : complaintAbout(password, email.data, config);
  if (complaint !== null) throw new Error(complaint);

  await assertMigrated(config.database);
  const { stop, ...service } = await startServices({ ...config, logLevel: "error" }, bunRuntime, {
    runJobs: false,
  });
  try {
    await Promise.race([service.app.jobs.whenRunning(), Bun.sleep(MAX_WAIT_MS)]);
    const outcome = await makePlatformAdmin(service, email.data, password);
    console.log(`${email.data} ${SENTENCES[outcome]}.`);
    if (password === null && outcome !== "promoted")
      console.log("A link to choose a password is on its way, once the service runs.");
  } finally {
    await stop();
  }
}

function complaintAbout(password: string, email: string, config: Config): string | null {
  const parsed = newPassword.safeParse(password, { reportInput: true });
  if (!parsed.success)
    return [...violations(parsed.error.issues)]
      .map(({ message }) => message.replace(/^body/, "The password"))
      .join("\n");
  const problem = passwordProblem(password, { email, ...NAMES }, config);
  return problem === null ? null : `The password ${problem}`;
}
