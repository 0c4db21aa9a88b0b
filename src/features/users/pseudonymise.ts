import * as pseudonyms from "#sql/pseudonyms";
import { type App, systemCall } from "../../core/context.ts";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";
import type { JobKind } from "../../platform/jobs/queue.ts";

/** Keeps each transaction short: an account may have many events, and some tables are read as a whole. */
const ACCOUNTS_AT_ONCE = 1;

/**
 * Once a day, replaces the email and name of accounts that were deleted `RETENTION_DELETED_ACCOUNTS_DAYS` ago by a
 * pseudonym, wherever they are stored (rules 4.13). One function of the database does it, because it alone may change
 * audit events, and only so (migrations/0034_pseudonyms.sql).
 */
export const userJobs: JobKind<App>[] = [
  {
    queue: "accounts.pseudonymise",
    schedule: "37 3 * * *",
    concurrency: 1,
    async run(app) {
      const days = app.config.deletedAccountRetentionDays;
      if (days === null) return;
      const some = () =>
        transaction(systemCall(app), async (tx) =>
          exactlyOne(
            await pseudonyms.pseudonymiseDeletedAccounts.run({ days, max: ACCOUNTS_AT_ONCE }, tx.db),
          ),
        );
      let done = 0;
      for (let last = ACCOUNTS_AT_ONCE; last === ACCOUNTS_AT_ONCE; done += last) last = (await some()).done;
      if (done > 0) app.log.info("deleted accounts pseudonymised", { accounts: done });
    },
  },
];
