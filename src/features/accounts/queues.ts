/**
 * The names of the queues whose jobs are defined in src/features/accounts/jobs.ts. They are in a separate file so
 * that services can send to the queues.
 */
export const VERIFICATION_QUEUE = "accounts.resend-verification";
export const RESET_QUEUE = "accounts.send-password-reset";
