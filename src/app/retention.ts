import * as accounts from "#sql/accounts";
import * as attempts from "#sql/attempts";
import * as billing from "#sql/billing";
import * as tickets from "#sql/helpdesk/tickets";
import * as invitations from "#sql/invitations";
import * as sessions from "#sql/sessions";
import * as twoFactor from "#sql/two-factor";
import { type App, callOfJob } from "../core/context.ts";
import { transaction } from "../platform/db/transaction.ts";
import type { JobKind } from "../platform/jobs/queue.ts";

/** So that each transaction is short, however much there is. */
const ROWS_AT_ONCE = 10_000;

const OVER = [
  sessions.deleteLongExpiredTokens,
  accounts.deleteOldVerifications,
  accounts.deleteOldResets,
  invitations.deleteOldSends,
  tickets.deleteOldTicketMails,
  billing.deleteOldPaymentEvents,
  twoFactor.deleteExpiredChallenges,
  attempts.deleteOldAttempts,
];

/** Once a day, deletes what has expired: sessions and links after 30 days (rules 5.13), and what was counted for limits. */
export const cleanUpJobs: JobKind<App>[] = [
  {
    queue: "sessions.clean-up",
    schedule: "17 3 * * *",
    async run(app) {
      for (const rows of OVER) {
        const deleteSome = () =>
          transaction(callOfJob(app), async (tx) => (await rows.run({ max: ROWS_AT_ONCE }, tx.db)).length);
        while ((await deleteSome()) === ROWS_AT_ONCE);
      }
    },
  },
];
