import type { App } from "../../core/context.ts";
import type { JobKind } from "../../platform/jobs/queue.ts";
import { sweepImages } from "./abandoned-uploads.ts";

export const helpdeskJobs: JobKind<App>[] = [
  { queue: "helpdesk.sweep", schedule: "7,37 * * * *", run: (app) => sweepImages(app) },
];
