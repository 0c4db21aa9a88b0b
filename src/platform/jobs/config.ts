import { configSection, rejectUnchangedPreviousKey, secret, warnOfPreviousKey } from "../environment.ts";

export type JobsConfig = {
  /** The key that encrypts job payloads. */
  jobsKey: string;
  /** The previous key that encrypted job payloads. It is only used to decrypt. */
  jobsKeyPrevious: string | null;
};

/** The configuration of the job queue. */
export const jobsConfig = configSection({
  variables: {
    JOBS_ENCRYPTION_KEY: secret(32),
    JOBS_ENCRYPTION_KEY_PREVIOUS: secret(32).optional(),
  },
  secrets: ["JOBS_ENCRYPTION_KEY", "JOBS_ENCRYPTION_KEY_PREVIOUS"],
  check: (raw) => rejectUnchangedPreviousKey(raw, "JOBS_ENCRYPTION_KEY"),
  warn: (raw) => warnOfPreviousKey(raw, "JOBS_ENCRYPTION_KEY"),
  read: (env): JobsConfig => ({
    jobsKey: env.JOBS_ENCRYPTION_KEY,
    jobsKeyPrevious: env.JOBS_ENCRYPTION_KEY_PREVIOUS ?? null,
  }),
});
