import type { Feature } from "../core/api/feature.ts";
import type { Service } from "../core/context.ts";
import { mailJobs } from "../core/effects/mail-jobs.ts";
import type { JobKind } from "../platform/jobs/queue.ts";
import { withFields } from "../platform/log.ts";
import { features } from "./features.ts";
import { maintenanceJobs } from "./maintenance.ts";
import { cleanUpJobs } from "./retention.ts";

const all: readonly Feature[] = features;
const kinds: JobKind<Service>[] = [
  ...mailJobs,
  ...all.flatMap(({ jobs = [] }) => jobs),
  ...cleanUpJobs,
  ...maintenanceJobs,
];

/**
 * Every kind of job of every feature. Log lines of a job contain its queue, its id and the id of the request that
 * queued it.
 */
export const jobKinds: JobKind<Service>[] = kinds.map((kind) => ({
  ...kind,
  run(service, job) {
    const about = { queue: kind.queue, jobId: job.id, requestId: job.requestId ?? undefined };
    return kind.run({ ...service, log: withFields(service.log, about) }, job);
  },
}));
