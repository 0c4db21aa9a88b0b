import { type Job, type JobKind, type Service, systemCall } from "#kit";
import { RESET_QUEUE, VERIFICATION_QUEUE } from "./queues.ts";
import { sendPasswordReset } from "./reset-password.ts";
import { resendVerification } from "./verify-email.ts";

type ToEmail = Job<{ email: string }>;

/**
 * The jobs that mail verification and reset links after the response was sent. If a job runs twice after a crash,
 * the limit of one mail a minute prevents a second mail.
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
