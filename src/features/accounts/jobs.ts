import { type Service, systemCall } from "../../core/context.ts";
import type { Job, JobKind } from "../../platform/jobs/queue.ts";
import { RESET_QUEUE, VERIFICATION_QUEUE } from "./queues.ts";
import { sendPasswordReset } from "./reset-password.ts";
import { resendVerification } from "./verify-email.ts";

type ToEmail = Job<{ email: string }>;

/**
 * Work that is done after the response. If a job runs twice after a crash, the second run meets the limit of one mail
 * a minute.
 */
export const accountJobs: JobKind<Service>[] = [
  {
    queue: VERIFICATION_QUEUE,
    run: (service, job: ToEmail) => resendVerification(systemCall(service, job), job.payload.email),
  },
  {
    queue: RESET_QUEUE,
    run: (service, job: ToEmail) => sendPasswordReset(systemCall(service, job), job.payload.email),
  },
];
