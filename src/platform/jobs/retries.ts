import type { JobKind } from "./queue.ts";

/** How often a job is tried again after it failed, from 30 seconds on, each time after twice as long. */
export const QUICK_RETRIES = 5;
export const FIRST_RETRY_SECONDS = 30;
/** Of jobs that are worth waiting with: once an hour in the end, for three days. */
const MAX_RETRY_SECONDS = 3600;
const LASTING_RETRIES = 79;

/** What a queue says of retries, in the words of pg-boss. */
export const retriesOf = ({ waitsForDays = false }: Pick<JobKind<never>, "waitsForDays">) =>
  waitsForDays
    ? { retryLimit: LASTING_RETRIES, retryDelayMax: MAX_RETRY_SECONDS }
    : { retryLimit: QUICK_RETRIES };
