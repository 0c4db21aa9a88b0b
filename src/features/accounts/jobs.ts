import { type App, systemCall } from "../../core/context.ts";
import type { Job, JobKind } from "../../platform/jobs/queue.ts";
import { RESET_QUEUE, VERIFICATION_QUEUE } from "./queues.ts";
import { sendPasswordReset } from "./reset-password.ts";
import { resendVerification } from "./verify-email.ts";

type ToEmail = Job<{ email: string }>;

/** What was answered before it was looked up. Run twice after a crash, the second run meets the limit of one a minute. */
export const accountJobs: JobKind<App>[] = [
  {
    queue: VERIFICATION_QUEUE,
    run: (app, job: ToEmail) => resendVerification(systemCall(app, job), job.payload.email),
  },
  {
    queue: RESET_QUEUE,
    run: (app, job: ToEmail) => sendPasswordReset(systemCall(app, job), job.payload.email),
  },
];
