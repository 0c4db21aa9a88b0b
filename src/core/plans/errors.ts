import { ApiError, defineError } from "../../platform/errors.ts";

export const planFeatureRequired = defineError(
  403,
  "PLAN_FEATURE_REQUIRED",
  "The organization's plan does not include this",
);

/** `max` is the plan's, `used` what there is already. */
export const planLimitReached = Object.assign(
  (details: { limit: string; max: number; used: number }) =>
    new ApiError(403, "PLAN_LIMIT_REACHED", `The plan allows ${details.max} ${details.limit}`, { details }),
  { status: 403 as const, code: "PLAN_LIMIT_REACHED" as const },
);
