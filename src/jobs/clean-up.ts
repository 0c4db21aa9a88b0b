import * as billing from "#sql/billing";
import * as invitations from "#sql/invitations";
import * as links from "#sql/links";
import * as sessions from "#sql/sessions";
import { type App, callOfJob } from "../context.ts";
import { transaction } from "../db/transaction.ts";
import type { JobKind } from "./queue.ts";

/** Once a day, forgets what is over: sessions and links of 30 days ago (specification 3.1), counted mails,
 * events of the payment provider. */
export const cleanUpJobs: JobKind<App>[] = [
  {
    queue: "sessions.clean-up",
    schedule: "17 3 * * *",
    run: (app) =>
      transaction(callOfJob(app), async (tx) => {
        await sessions.deleteLongExpiredTokens.run(undefined, tx.db);
        await links.deleteOldVerifications.run(undefined, tx.db);
        await links.deleteOldResets.run(undefined, tx.db);
        await billing.deleteOldPaymentEvents.run(undefined, tx.db);
        await invitations.deleteOldSends.run(undefined, tx.db);
      }),
  },
];
