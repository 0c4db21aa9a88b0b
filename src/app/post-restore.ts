import { z } from "zod";
import { checkAllDomains } from "#sql/domains";
import { endGrantsBegunBefore } from "#sql/oauth-grants";
import * as postRestore from "#sql/post-restore";
import { endSetupLinksMadeBefore } from "#sql/sign-on-setup";
import { MAIL_QUEUE } from "../core/effects/mail.ts";
import { RESET_QUEUE, VERIFICATION_QUEUE } from "../features/accounts/queues.ts";
import { compareImages, reconcileImages } from "../features/helpdesk/reconcile-images.ts";
import { describeConnectionsSince } from "../features/sign-on/connection-read.ts";
import { describePolicies } from "../features/sign-on-policy/read.ts";
import { bunDriver } from "../platform/db/drivers/bun.ts";
import { exactlyOne, type Queryable } from "../platform/db/prepared-query.ts";
import { deleteUnfinishedBefore } from "../platform/jobs/failed-jobs.ts";
import type { StorageConfig } from "../platform/storage/config.ts";
import { openStorage } from "../platform/storage/open.ts";
import { needed } from "./command.ts";
import { readDatabaseConfig, readStorageConfig } from "./config.ts";

const OPTIONS = ["--dry-run", "--all-sessions", "--revoke-keys"];

const USAGE = `Usage: bun run restored <time> [--dry-run] [--all-sessions] [--revoke-keys]

Run it after a restore, before the service starts. <time> is the time to which the database was restored, such as
2026-11-22T04:00:00Z. What is older, and may have been used or sent since, ends: sessions, connected apps, links in mails, queued mails,
idempotency keys.
Then the storage is compared with the database: objects that no row names are deleted, and images whose object is missing
are no longer shown. --dry-run counts all of this and changes nothing. --all-sessions ends sessions that began after that time, too.
API keys that were revoked after that time work again: --revoke-keys revokes all API keys.`;

/**
 * The age from which objects are compared. Younger objects are skipped, because they may belong to an upload in
 * progress.
 */
const YOUNG_MS = 3_600_000;

/** The queues of jobs that send mails, or that queue jobs that send mails. */
const QUEUES_OF_MAILS = [MAIL_QUEUE, VERIFICATION_QUEUE, RESET_QUEUE];

const ENDED = {
  sessions: postRestore.endSessionsStartedBefore,
  "two-factor challenges": postRestore.deleteChallengesMadeBefore,
  "verification links": postRestore.endVerificationLinksMadeBefore,
  "password reset links": postRestore.endResetLinksMadeBefore,
  "changes of email": postRestore.cancelEmailChangesMadeBefore,
  "invitation links": postRestore.expireInvitationsSentBefore,
  "setup links": endSetupLinksMadeBefore,
  "connected apps": endGrantsBegunBefore,
  "idempotency keys": postRestore.deleteIdempotencyKeys,
};

/** The warnings about changes that this command cannot undo, because only people know about them. */
const RIGHTS = (time: string) => `
Accounts, members, roles and platform administrators are those of ${time}. Whoever was deleted, removed or demoted since
then has the rights of that time again: repeat these changes before the service starts, from the audit log of the database
that was replaced, or from what you remember.`;

/**
 * Runs `bun run restored` with its arguments; returns its exit code (rules 25.12). All changes of the database are
 * one transaction, which a dry run rolls back. The storage is changed afterwards. The command has its own
 * connection, because requests have time limits that a large table may exceed.
 */
export async function runPostRestore(given: string[]): Promise<number> {
  const isDryRun = given.includes("--dry-run");
  const allSessions = given.includes("--all-sessions");
  const revokesKeys = given.includes("--revoke-keys");
  const [text, ...more] = given.filter((one) => !OPTIONS.includes(one));
  const time = z.iso.datetime({ offset: true }).safeParse(text).data;
  if (time === undefined || more.length > 0) throw new Error(USAGE);
  if (Date.parse(time) > Date.now()) throw new Error(`${time} is in the future\n\n${USAGE}`);
  const { listenUrl } = needed(readDatabaseConfig(process.env));
  const storage = needed(readStorageConfig(process.env));
  const settings = { application_name: "restored", TimeZone: "UTC" };
  const pool = bunDriver({ url: listenUrl, size: 1, settings });
  try {
    const connection = await pool.reserve(new AbortController().signal);
    const db: Queryable = { query: async (text, values) => connection.query(text, values) };
    await db.query("BEGIN", []);
    const counts = await endAllBefore(db, new Date(time), allSessions);
    if (revokesKeys)
      counts.push(["API keys", exactlyOne(await postRestore.revokeAllApiKeys.run(undefined, db)).count]);
    const { count: keys } = exactlyOne(await postRestore.countLiveApiKeys.run(undefined, db));
    const { count: sessions } = exactlyOne(await postRestore.countLiveSessions.run(undefined, db));
    const administrators = await postRestore.listPlatformAdministrators.run(undefined, db);
    const signOn = [...(await describePolicies(db)), ...(await describeConnectionsSince(db, new Date(time)))];
    await db.query(isDryRun ? "ROLLBACK" : "COMMIT", []);
    for (const [what, count] of counts) console.log(`${what}: ${count} ${isDryRun ? "would end" : "ended"}`);
    const code = await reconcileStorage(db, storage, isDryRun);
    console.log(RIGHTS(time));
    console.log(`Platform administrators: ${administrators.map(({ email }) => email).join(", ") || "none"}`);
    for (const line of signOn) console.log(line);
    if (sessions > 0)
      console.log(`Sessions that began after that time: ${sessions}. --all-sessions ends them, too.`);
    if (keys > 0)
      console.log(
        `API keys that work: ${keys}. One that was revoked after that time works again; --revoke-keys revokes all.`,
      );
    return code;
  } finally {
    // Closing the connection rolls a failed transaction back.
    await pool.close(0);
  }
}

/** Returns a time after the start of every session, even if the clocks of this machine and of the database differ. */
const tomorrow = () => new Date(Date.now() + 86_400_000);

async function endAllBefore(db: Queryable, time: Date, allSessions: boolean): Promise<[string, number][]> {
  const counts: [string, number][] = [];
  for (const [what, query] of Object.entries(ENDED)) {
    const until = allSessions && query === postRestore.endSessionsStartedBefore ? tomorrow() : time;
    counts.push([what, exactlyOne(await query.run({ time: until }, db)).count]);
  }
  counts.push([
    "numberings of events",
    exactlyOne(await postRestore.beginEventEpoch.run(undefined, db)).count,
  ]);
  counts.push(["checks of domains", exactlyOne(await checkAllDomains.run(undefined, db)).count]);
  counts.push(["queued mails", await deleteUnfinishedBefore(db, { queues: QUEUES_OF_MAILS, time })]);
  return counts;
}

/**
 * The storage is compared before any change: a storage and a database that have no object in common do not belong
 * together.
 */
async function reconcileStorage(db: Queryable, config: StorageConfig, isDryRun: boolean): Promise<number> {
  if (config.driver === "local" && config.directory === null) {
    console.log("storage: not compared, as neither STORAGE_DIR nor STORAGE_DRIVER=s3 is set");
    return 0;
  }
  const parts = {
    db,
    storage: await openStorage(config),
    olderThan: new Date(Date.now() - YOUNG_MS),
  };
  const differences = await compareImages(parts);
  if (differences.matched === 0 && differences.objects + differences.rows > 0) {
    console.error(
      `storage: ${differences.objects} objects without a row, ${differences.rows} images without an object, and none that has both: is it the storage of this database? Nothing was changed in it.`,
    );
    return 1;
  }
  const { objects, rows } = isDryRun ? differences : await reconcileImages(parts);
  console.log(`objects without a row: ${objects} ${isDryRun ? "would be deleted" : "deleted"}`);
  console.log(`images without an object: ${rows} ${isDryRun ? "would be hidden" : "hidden"}`);
  return 0;
}
