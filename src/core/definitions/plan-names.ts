import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { Language } from "../../platform/i18n/languages.ts";
import { declared, type NameOf } from "./features.ts";

type UsagePeriod = { organizationId: string; from: Date; timeZone: string };

/** A plan limit that a feature declares: how it counts the records of an organization, and its name in each language. */
export type LimitEntry = {
  readonly count: (db: Queryable, organizationId: string) => Promise<number>;
  /**
   * Returns by how much the number changed on each day since `from`, for the trend of the usage; days without a change
   * may be missing.
   */
  readonly changes: (db: Queryable, period: UsagePeriod) => Promise<{ day: string; change: number }[]>;
  /** `month`: counts what was recorded in the calendar month of UTC; absent: what there is. */
  readonly per?: "month";
  readonly text: { readonly [L in Language]: string };
};

/** The name of a plan limit. */
export type LimitName = NameOf<"limits">;
/** The name of a feature that a plan may have. */
export type FeatureName = NameOf<"planFeatures">;

/** Returns the limits of all features by name. */
export const planLimits = () =>
  declared<LimitEntry>("limits") as { readonly [Name in LimitName]: LimitEntry };
export const limitNames = () => Object.keys(planLimits()) as LimitName[];
/** Returns the features that a plan may have. If billing is off, every organization has all of them. */
export const featureNames = () => Object.keys(declared("planFeatures")) as FeatureName[];
