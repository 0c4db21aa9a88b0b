import type { Service } from "../core/context.ts";
import { mailJobs } from "../core/effects/mail-jobs.ts";
import { accountJobs } from "../features/accounts/jobs.ts";
import { auditJobs } from "../features/audit/periods.ts";
import { sealJobs } from "../features/audit/seal.ts";
import { reconcileJobs } from "../features/billing/reconcile.ts";
import { eventJobs } from "../features/events/jobs.ts";
import { helpdeskJobs } from "../features/helpdesk/jobs.ts";
import { invitationJobs } from "../features/invitations/jobs.ts";
import { serviceAccountJobs } from "../features/service-accounts/jobs.ts";
import { userJobs } from "../features/users/pseudonymise.ts";
import { webhookJobs } from "../features/webhooks/jobs.ts";
import type { JobKind } from "../platform/jobs/queue.ts";
import { withFields } from "../platform/log.ts";
import { maintenanceJobs } from "./maintenance.ts";
import { cleanUpJobs } from "./retention.ts";

const kinds: JobKind<Service>[] = [
  ...mailJobs,
  ...accountJobs,
  ...reconcileJobs,
  ...cleanUpJobs,
  ...helpdeskJobs,
  ...invitationJobs,
  ...serviceAccountJobs,
  ...auditJobs,
  ...sealJobs,
  ...eventJobs,
  ...webhookJobs,
  ...userJobs,
  ...maintenanceJobs,
];

/**
 * Every kind of job of every feature. Log lines of a job contain its queue, its id and the id of the request that
 * queued it.
 */
export const jobKinds: JobKind<Service>[] = kinds.map((kind) => ({
  ...kind,
  run(service, job) {
    const about = { queue: kind.queue, jobId: job.id, requestId: job.requestId ?? undefined };
    return kind.run({ ...service, log: withFields(service.log, about) }, job);
  },
}));
