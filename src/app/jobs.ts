import type { App } from "../core/context.ts";
import { mailJobs } from "../core/effects/mail-jobs.ts";
import { accountJobs } from "../features/accounts/jobs.ts";
import { auditJobs } from "../features/audit/periods.ts";
import { sealJobs } from "../features/audit/seal.ts";
import { reconcileJobs } from "../features/billing/reconcile.ts";
import { helpdeskJobs } from "../features/helpdesk/jobs.ts";
import { invitationJobs } from "../features/invitations/jobs.ts";
import { userJobs } from "../features/users/pseudonymise.ts";
import type { JobKind } from "../platform/jobs/queue.ts";
import { cleanUpJobs } from "./retention.ts";
import { upkeepJobs } from "./upkeep.ts";

/** Every kind of job of every feature. */
export const jobKinds: JobKind<App>[] = [
  ...mailJobs,
  ...accountJobs,
  ...reconcileJobs,
  ...cleanUpJobs,
  ...helpdeskJobs,
  ...invitationJobs,
  ...auditJobs,
  ...sealJobs,
  ...userJobs,
  ...upkeepJobs,
];
