import { readFileSync } from "node:fs";
import { z } from "zod";
import { theProduct } from "../manifest/current.ts";
import bundled from "./plans.json";

/** The contents of a plan file (rules 19.1). */
export type Plans = {
  plans: Plan[];
  defaultPlan: string;
  trial: { plan: string; days: number } | null;
};
export type Plan = {
  key: string;
  /** The plan's limits by name; a missing or null limit means unlimited. */
  limits: Record<string, number | null>;
  features: string[];
  /** Whether the plan can be bought, and so needs a price. */
  paid: boolean;
};

const key = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, "must be 1 to 63 letters, digits, dots, _ or -");
const PlanFile = z.strictObject({
  plans: z
    .array(
      z.strictObject({
        key,
        limits: z.record(key, z.int().min(0).nullable()).default({}),
        features: z.array(key).default([]),
        paid: z.boolean().default(false),
      }),
    )
    .min(1),
  defaultPlan: key,
  trial: z
    .strictObject({ plan: key, days: z.int().min(1).max(3650) })
    .nullable()
    .default(null),
});

/** A price of a plan at the payment provider. */
export type Price = { plan: string; interval: "month" | "year"; priceId: string };

/** The format of one price in `PAYMENT_PRICES`. */
export const PRICE_PATTERN = /^([^:\s]+):(month|year):([^:\s]+)$/;

/** Parses a list of well-formed prices. */
export const parsePrices = (written: string[]): Price[] =>
  written.flatMap((price) => {
    const [, plan, interval, priceId] = PRICE_PATTERN.exec(price) ?? [];
    return plan && priceId ? [{ plan, interval: interval as Price["interval"], priceId }] : [];
  });

/**
 * Reads the plan file, or the bundled one if the path is null. Reports all errors together, including those in the
 * prices.
 */
export function readPlans(path: string | null, prices: Price[]): { plans: Plans | null; problems: string[] } {
  let content: unknown = bundled;
  if (path !== null) {
    try {
      content = JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      const what = error instanceof SyntaxError ? "is not valid JSON" : "cannot be read";
      return { plans: null, problems: [`BILLING_PLANS_FILE ${what}`] };
    }
  }
  const parsed = PlanFile.safeParse(content);
  const malformed = parsed.success
    ? []
    : parsed.error.issues.map(
        (issue) => `BILLING_PLANS_FILE ${issue.path.join(".") || "at its top"}: ${issue.message}`,
      );
  // As much as possible of the plan file is parsed, so that a format error does not hide errors in the content.
  const outline = Outline.parse(content);
  const problems = [
    ...malformed,
    ...contradictions(outline).map((problem) => `BILLING_PLANS_FILE ${problem}`),
    ...(prices.length === 0 ? [] : priceMistakes(outline, prices)).map(
      (problem) => `PAYMENT_PRICES ${problem}`,
    ),
  ];
  return { plans: parsed.success ? parsed.data : null, problems };
}

/** Checks the references between the parts of a plan file. Skips malformed parts. */
const Outline = z
  .object({
    plans: z
      .array(
        z
          .object({ key: z.string(), paid: z.boolean().catch(false) })
          .nullable()
          .catch(null),
      )
      .transform((plans) => plans.filter((plan) => plan !== null))
      .catch([]),
    defaultPlan: z.string().nullable().catch(null),
    trial: z.object({ plan: z.string() }).nullable().catch(null),
  })
  .catch({ plans: [], defaultPlan: null, trial: null });
type Outline = z.output<typeof Outline>;

function contradictions({ plans, defaultPlan, trial }: Outline): string[] {
  const known = new Map(plans.map((plan) => [plan.key, plan]));
  const problems = repeated(plans.map((plan) => plan.key)).map((key) => `plans has ${key} twice`);
  if (defaultPlan !== null && !known.has(defaultPlan))
    problems.push(`defaultPlan ${defaultPlan} is none of the plans`);
  if (defaultPlan !== null && known.get(defaultPlan)?.paid)
    problems.push(`defaultPlan ${defaultPlan} must not be paid`);
  if (trial !== null && !known.has(trial.plan))
    problems.push(`trial.plan ${trial.plan} is none of the plans`);
  return problems;
}

function priceMistakes({ plans }: Outline, prices: Price[]): string[] {
  const known = new Set(plans.map((plan) => plan.key));
  const priced = new Set(prices.map((price) => price.plan));
  return [
    ...prices
      .filter((price) => !known.has(price.plan))
      .map((price) => `names ${price.plan}, which is none of the plans`),
    ...repeated(prices.map(({ plan, interval }) => `${plan}:${interval}`)).map(
      (name) => `names ${name} twice`,
    ),
    ...repeated(prices.map(({ priceId }) => priceId)).map(() => "has one price twice"),
    ...plans
      .filter((plan) => plan.paid && !priced.has(plan.key))
      .map((plan) => `has no price of ${plan.key}, which is paid`),
  ];
}

const repeated = (names: string[]) => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];

/** Returns the features of the product's manifest that a plan includes; all without a plan, which means that billing is off. */
export const productFeaturesOf = (plan: Plan | null | undefined): string[] =>
  Object.keys(theProduct()?.features ?? {}).filter((name) => plan?.features.includes(name) ?? true);
