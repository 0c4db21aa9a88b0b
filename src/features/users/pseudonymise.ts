import { exactlyOne, type JobKind, type Service, systemCall, transaction } from "#kit";
import * as pseudonyms from "#sql/pseudonyms";

const PAGE_SIZE = 100;

/**
 * A daily job that replaces the email and name of accounts that were deleted `RETENTION_DELETED_ACCOUNTS_DAYS` ago
 * by a pseudonym, in all tables (rules 4.13). A single database function does this, except for stored responses,
 * because only that function may change audit events (migrations/0018_pseudonyms.sql). If an account fails, the
 * failure is logged, and the job continues with the next account.
 */
export const userJobs: JobKind<Service>[] = [
  {
    queue: "accounts.pseudonymise",
    schedule: "37 3 * * *",
    concurrency: 1,
    async run(service) {
      const days = service.app.config.deletedAccountRetentionDays;
      if (days === null) return;
      let done = 0;
      let failed = 0;
      for await (const id of dueAccounts(service, days))
        try {
          if (await pseudonymise(service, id, days)) done += 1;
        } catch (err) {
          failed += 1;
          service.log.error("deleted account not pseudonymised", { userId: id, err });
        }
      if (done > 0) service.log.info("deleted accounts pseudonymised", { accounts: done });
      // The job fails after all accounts were tried. It is then retried, and finally listed among the failed jobs.
      if (failed > 0) throw new Error(`${failed} deleted accounts were not pseudonymised`);
    },
  },
];

/** Returns the ids of accounts that are due, the earliest deleted first, including those that failed before. */
async function* dueAccounts(service: Service, days: number): AsyncGenerator<string> {
  let after: { afterTime: string | null; afterId: string | null } = { afterTime: null, afterId: null };
  for (;;) {
    const page = await pseudonyms.listAccountsToPseudonymise.run(
      { days, ...after, max: PAGE_SIZE },
      service.db,
    );
    for (const { id } of page) yield id;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return;
    after = { afterTime: last.deletedAt.toISOString(), afterId: last.id };
  }
}

/**
 * Replaces the email and name of one account, in a separate transaction, because the account may have many events.
 * Returns false if another job has already done it.
 */
const pseudonymise = (service: Service, id: string, days: number) =>
  transaction(systemCall(service), async (tx) => {
    await pseudonyms.pseudonymiseStoredResponses.run({ id, days }, tx.db);
    return exactlyOne(await pseudonyms.pseudonymiseDeletedAccount.run({ id, days }, tx.db)).isDone;
  });
