import { z } from "@hono/zod-openapi";
import { ApiError, defineError } from "../../platform/errors.ts";
import { PlanLimitDetails } from "./schemas.ts";

export const planFeatureRequired = defineError(
  403,
  "PLAN_FEATURE_REQUIRED",
  "The organization's plan does not include this",
);

export const planLimitReached = Object.assign(
  (details: z.output<typeof PlanLimitDetails>) =>
    new ApiError(403, "PLAN_LIMIT_REACHED", `The plan allows ${details.max} ${details.limit}`, { details }),
  {
    status: 403 as const,
    code: "PLAN_LIMIT_REACHED" as const,
    body: z.object({ details: PlanLimitDetails.describe("The limit of the plan that is reached.") }),
  },
);
