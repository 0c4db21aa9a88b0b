import type { JobKind, Service } from "#kit";
import { sweepImages } from "./abandoned-uploads.ts";

export const helpdeskJobs: JobKind<Service>[] = [
  { queue: "helpdesk.sweep", schedule: "7,37 * * * *", run: (service) => sweepImages(service) },
];
