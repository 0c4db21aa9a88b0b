/* Limits: those of the plan, how often, how many at once. */

export { countUnknownAppToken } from "../core/api/app-token.ts";
export { planLimitReached } from "../core/plans/errors.ts";
export { assertBelow, assertWithinLimit, findLimit } from "../core/plans/limits.ts";
export { type Level, Permits, type Release } from "../platform/limits/permits.ts";
export { Rate, windowsOf } from "../platform/limits/rate.ts";
export { atOnce, DAY, HOUR, MINUTE, often } from "../platform/limits/rows.ts";
