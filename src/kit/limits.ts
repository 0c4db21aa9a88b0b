/* Limits: those of the plan, how often, how many at once. */

export { atOnce, DAY, HOUR, MINUTE, often } from "../core/definitions/limits.ts";
export { planLimitReached } from "../core/plans/errors.ts";
export { assertBelow, assertWithinLimit, findLimit } from "../core/plans/limits.ts";
export { Permits, type Release } from "../platform/limits/permits.ts";
export { Rate } from "../platform/limits/rate.ts";
