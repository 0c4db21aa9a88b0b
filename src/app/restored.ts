import { z } from "zod";
import * as restored from "#sql/restored";
import { MAIL_QUEUE } from "../core/effects/mail.ts";
import { RESET_QUEUE, VERIFICATION_QUEUE } from "../features/accounts/queues.ts";
import { bunDriver } from "../platform/db/drivers/bun.ts";
import { exactlyOne, type Queryable } from "../platform/db/prepared-query.ts";
import { deleteUnfinishedBefore } from "../platform/jobs/parked.ts";
import { readDatabaseConfig } from "./config.ts";

const USAGE = `Usage: bun run restored <time> [--dry-run]

Run it after a restore, before the service starts. <time> is the time to which the database was restored, such as
2026-11-22T04:00:00Z. What is older, and may have been used or sent since, ends: sessions, links in mails, queued mails.`;

/** Whatever sends mails, or queues others that do. */
const QUEUES_OF_MAILS = [MAIL_QUEUE, VERIFICATION_QUEUE, RESET_QUEUE];

const ENDED = {
  sessions: restored.endSessionsStartedBefore,
  "two-factor challenges": restored.deleteChallengesMadeBefore,
  "verification links": restored.endVerificationLinksMadeBefore,
  "password reset links": restored.endResetLinksMadeBefore,
  "invitation links": restored.expireInvitationsSentBefore,
};

/**
 * `bun run restored`, by its arguments; returns its exit code (rules 25.12). All in one transaction, which a dry run rolls back. It
 * connects by itself, because requests have time limits that a large table may exceed.
 */
export async function runRestored(given: string[]): Promise<number> {
  const isDryRun = given.includes("--dry-run");
  const [text, ...more] = given.filter((one) => one !== "--dry-run");
  const time = z.iso.datetime({ offset: true }).safeParse(text).data;
  if (time === undefined || more.length > 0 || Date.parse(time) > Date.now()) {
    console.error(USAGE);
    return 1;
  }
  const { config, problems } = readDatabaseConfig(process.env);
  if (config === null) {
    console.error(problems.join("\n"));
    return 1;
  }
  const settings = { application_name: "restored", TimeZone: "UTC" };
  const pool = bunDriver({ url: config.listenUrl, size: 1, settings });
  try {
    const connection = await pool.reserve(new AbortController().signal);
    const db: Queryable = { query: async (text, values) => connection.query(text, values) };
    await db.query("BEGIN", []);
    const counts = await endAllBefore(db, new Date(time));
    await db.query(isDryRun ? "ROLLBACK" : "COMMIT", []);
    for (const [what, count] of counts) console.log(`${what}: ${count} ${isDryRun ? "would end" : "ended"}`);
    return 0;
  } finally {
    // A transaction that failed ends with its connection.
    await pool.close(0);
  }
}

async function endAllBefore(db: Queryable, time: Date): Promise<[string, number][]> {
  const counts: [string, number][] = [];
  for (const [what, query] of Object.entries(ENDED))
    counts.push([what, exactlyOne(await query.run({ time }, db)).count]);
  counts.push(["queued mails", await deleteUnfinishedBefore(db, { queues: QUEUES_OF_MAILS, time })]);
  return counts;
}
