import { configSection, secret } from "../environment.ts";

export type JobsConfig = {
  /** What job payloads are encrypted with. */
  jobsKey: string;
};

/** The configuration of the job queue. */
export const jobsConfig = configSection({
  variables: { JOBS_ENCRYPTION_KEY: secret(32) },
  read: (env): JobsConfig => ({ jobsKey: env.JOBS_ENCRYPTION_KEY }),
});
