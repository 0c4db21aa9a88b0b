/** The names of the queues of src/features/accounts/jobs.ts, in a separate file so that services can send to them. */
export const VERIFICATION_QUEUE = "accounts.resend-verification";
export const RESET_QUEUE = "accounts.send-password-reset";
