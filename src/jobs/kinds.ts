import { accountJobs } from "../accounts/jobs.ts";
import type { App } from "../context.ts";
import { helpdeskJobs } from "../helpdesk/jobs.ts";
import { mailJobs } from "../mail/jobs.ts";
import { cleanUpJobs } from "./clean-up.ts";
import type { JobKind } from "./queue.ts";

/** Every kind of job of every feature. */
export const jobKinds: JobKind<App>[] = [...mailJobs, ...accountJobs, ...cleanUpJobs, ...helpdeskJobs];
