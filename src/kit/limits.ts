/* Limits: those of the plan, how often, how many at once. */

export { planLimitReached } from "../core/plans/errors.ts";
export { assertBelow, assertWithinLimit, findLimit } from "../core/plans/limits.ts";
export { Permits, type Release } from "../platform/limits/permits.ts";
export { Rate } from "../platform/limits/rate.ts";
export { atOnce, DAY, HOUR, MINUTE, often } from "../platform/limits/rows.ts";
