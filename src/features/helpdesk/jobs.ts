import type { Service } from "../../core/context.ts";
import type { JobKind } from "../../platform/jobs/queue.ts";
import { sweepImages } from "./abandoned-uploads.ts";

export const helpdeskJobs: JobKind<Service>[] = [
  { queue: "helpdesk.sweep", schedule: "7,37 * * * *", run: (service) => sweepImages(service) },
];
