/* The manifest of a feature, and what is declared in manifests. */

export { type Declarations, type Feature, feature } from "../core/api/feature.ts";
export { type Tool, tool } from "../core/api/tool.ts";
export { deferred } from "../core/definitions/deferred.ts";
export { declared } from "../core/definitions/features.ts";
export type { LimitEntry } from "../core/definitions/plan-names.ts";
export { endOf } from "../core/ends.ts";
export { memoizePerApp } from "../core/memoize-per-app.ts";
export { day, entry, number, type OverviewPart, type Period, series, seriesOf } from "../core/overview.ts";
export {
  afterCreated,
  FROM_OLDEST,
  jsonOfPages,
  NO_ID,
  ownedRecords,
  type PersonalFile,
} from "../core/personal-data.ts";
export type { RetentionQuery } from "../core/retention.ts";
export type { Job, JobKind } from "../platform/jobs/queue.ts";
