import { deleteOldKeys } from "#sql/idempotency";
import { attemptRetention } from "../core/accounts/retention.ts";
import { type Service, systemCall } from "../core/context.ts";
import type { RetentionQuery } from "../core/retention.ts";
import { accountRetention } from "../features/accounts/retention.ts";
import { billingRetention } from "../features/billing/retention.ts";
import { helpdeskRetention } from "../features/helpdesk/retention.ts";
import { invitationRetention } from "../features/invitations/retention.ts";
import { notificationRetention } from "../features/notifications/retention.ts";
import { overviewRetention } from "../features/overview/retention.ts";
import { passkeyRetention } from "../features/passkeys/retention.ts";
import { apiKeyRetention } from "../features/service-accounts/retention.ts";
import { sessionRetention } from "../features/sessions/retention.ts";
import { twoFactorRetention } from "../features/two-factor/retention.ts";
import { transaction } from "../platform/db/transaction.ts";
import type { JobKind } from "../platform/jobs/queue.ts";

/** The number of rows per transaction. It keeps each transaction short, for any number of expired rows. */
const BATCH_SIZE = 10_000;

const RETENTION: RetentionQuery[] = [
  ...sessionRetention,
  ...accountRetention,
  ...invitationRetention,
  ...helpdeskRetention,
  ...billingRetention,
  ...twoFactorRetention,
  ...passkeyRetention,
  ...attemptRetention,
  ...apiKeyRetention,
  ...overviewRetention,
];

/**
 * Jobs that delete expired rows. Once a day: sessions and links after 30 days (rules 5.13), and rows that only
 * counted for limits. Every hour: stored responses (rules 27.8).
 */
export const cleanUpJobs: JobKind<Service>[] = [
  {
    queue: "sessions.clean-up",
    schedule: "17 3 * * *",
    async run(service) {
      for (const query of [...RETENTION, ...notificationRetention(service.app.config)])
        await deleteAll(service, query);
    },
  },
  {
    queue: "idempotency.clean-up",
    schedule: "7 * * * *",
    async run(service) {
      const hours = service.app.config.idempotencyHours;
      await deleteAll(service, { run: ({ max }, db) => deleteOldKeys.run({ hours, max }, db) });
    },
  },
];

/** Runs a query that deletes expired rows, batch after batch, until no more rows are expired. */
async function deleteAll(service: Service, query: RetentionQuery): Promise<void> {
  const deleteBatch = () =>
    transaction(systemCall(service), async (tx) => (await query.run({ max: BATCH_SIZE }, tx.db)).length);
  while ((await deleteBatch()) === BATCH_SIZE);
}
