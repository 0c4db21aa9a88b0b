import { type Job, type JobKind, lockOrganization, type Service, systemCall, transaction } from "#kit";
import * as queries from "#sql/sign-on-policy";
import { findPolicy } from "./read.ts";
import type { Scope } from "./schemas.ts";
import { type FurtherMembers, TELL_QUEUE, tellOfAnnouncement } from "./tell.ts";

/**
 * Jobs that remind members a day before a tighter policy holds, if they still could not act, and that tell the members of a large
 * organization (rules 43). A job that runs again after a crash tells its hundred again.
 */
export const policyJobs: JobKind<Service>[] = [
  {
    queue: "sign-on-policy.remind",
    schedule: "*/10 * * * *",
    concurrency: 1,
    async run(service) {
      if (!service.app.config.sso) return;
      // One transaction for each: locks of several organizations would have to be taken in their order, and before the policy is written.
      for (const { organizationId } of await queries.listDueReminders.run(undefined, service.db))
        await transaction(systemCall(service), async (tx) => {
          await lockOrganization(tx, organizationId);
          for (const reminder of await queries.takeReminder.run({ organizationId }, tx.db))
            await tellOfAnnouncement(tx, { ...reminder, scope: reminder.scope as Scope });
        });
    },
  },
  {
    queue: TELL_QUEUE,
    concurrency: 1,
    run: (service, job: Job<FurtherMembers>) =>
      transaction(systemCall(service, job), async (tx) => {
        const { afterId, enforceFrom, ...announced } = job.payload;
        const { announced: present } = await findPolicy(tx.db, announced.organizationId);
        // Another announcement tells all again, and after the end of one there is nothing to tell.
        const isPresent =
          present?.enforceFrom.toISOString() === enforceFrom &&
          present.scope === announced.scope &&
          present.requireTwoFactor === announced.requireTwoFactor;
        if (isPresent) await tellOfAnnouncement(tx, { ...announced, ...present }, afterId);
      }),
  },
];
