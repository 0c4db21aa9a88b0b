import { z } from "zod";
import { commaSeparated, configSection, isListOf, type RawEnvironment } from "../../platform/environment.ts";
import { featureNames, limitNames } from "../definitions/plan-names.ts";
import { theProduct } from "../manifest/current.ts";
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
  warn: (raw) => (raw.BILLING_PLANS_FILE === undefined ? [] : unknownNames(plansFrom(raw).plans)),
  read(_env, raw): PlansConfig {
    const { plans, prices, problems } = plansFrom(raw);
    // The plan file is checked again: if it was replaced after the check, that must not turn billing off.
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return { plans, prices };
  },
});

/**
 * Returns a warning for each name in a plan file that has no effect here. It is no fault: a plan file may be newer or older
 * than the manifest of the product. Without a product, features may be names that clients alone know.
 */
function unknownNames(plans: Plans | null): string[] {
  const [limits, features] = [limitNames() as string[], featureNames() as string[]];
  const isChecked = theProduct() !== null;
  return (plans?.plans ?? []).flatMap((plan) => [
    ...Object.keys(plan.limits)
      .filter((name) => !limits.includes(name))
      .map((name) => unknownName(`${plan.key} limits ${name}`, "limits", limits)),
    ...plan.features
      .filter((name) => isChecked && !features.includes(name))
      .map((name) => unknownName(`${plan.key} has the feature ${name}`, "features", features)),
  ]);
}

const unknownName = (what: string, kind: string, known: string[]) =>
  `BILLING_PLANS_FILE ${what}, which is unknown here and has no effect; the known ${kind} are ${known.join(", ")}`;

/** Whether the plan file's path is `none`, which turns billing off. */
export const isBillingOff = (raw: RawEnvironment): boolean => raw.BILLING_PLANS_FILE === "none";

function plansFrom(raw: RawEnvironment) {
  if (isBillingOff(raw)) return { plans: null, prices: [], problems: [] };
  const written = commaSeparated(raw.PAYMENT_PRICES ?? "");
  // A malformed price is reported as malformed, not as missing.
  const prices = written.every((price) => PRICE_PATTERN.test(price)) ? parsePrices(written) : [];
  return { ...readPlans(raw.BILLING_PLANS_FILE ?? null, prices), prices };
}
