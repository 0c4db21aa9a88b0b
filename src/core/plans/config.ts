import { z } from "zod";
import { commaSeparated, configSection, isListOf, type RawEnvironment } from "../../platform/environment.ts";
import { type Plans, PRICE_PATTERN, type Price, parsePrices, readPlans } from "./plan-file.ts";

export type PlansConfig = {
  /** The plans; null if billing is off, which means no limits and all features. */
  plans: Plans | null;
  prices: Price[];
};

declare module "../config.ts" {
  interface Config {
    billing: PlansConfig;
  }
}

/** The configuration of plans. */
export const plansConfig = configSection({
  variables: {
    BILLING_PLANS_FILE: z.string().optional(),
    PAYMENT_PRICES: z
      .string()
      .optional()
      .refine(
        (value) => isListOf(value, (price) => PRICE_PATTERN.test(price)),
        "must be a comma-separated list of plan:month:price_id or plan:year:price_id",
      ),
  },
  check: (raw) => plansFrom(raw).problems,
  read(_env, raw): PlansConfig {
    const { plans, prices, problems } = plansFrom(raw);
    // The plan file is checked again: if it was replaced after the check, that must not turn billing off.
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return { plans, prices };
  },
});

/** Whether the plan file's path is `none`, which turns billing off. */
export const isBillingOff = (raw: RawEnvironment): boolean => raw.BILLING_PLANS_FILE === "none";

function plansFrom(raw: RawEnvironment) {
  if (isBillingOff(raw)) return { plans: null, prices: [], problems: [] };
  const written = commaSeparated(raw.PAYMENT_PRICES ?? "");
  // A malformed price is reported as malformed, not as missing.
  const prices = written.every((price) => PRICE_PATTERN.test(price)) ? parsePrices(written) : [];
  return { ...readPlans(raw.BILLING_PLANS_FILE ?? null, prices), prices };
}
