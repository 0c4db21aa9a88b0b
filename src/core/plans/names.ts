/** What plans limit: how many of it an organization may have. A product adds its own here. */
export const LIMITS = ["members", "units", "todos"] as const;
export type LimitName = (typeof LIMITS)[number];

/** What a plan may include; all of it where billing is off. A product adds its own here. */
export const FEATURES = ["audit"] as const;
export type FeatureName = (typeof FEATURES)[number];
