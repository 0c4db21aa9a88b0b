/** The limits of plans. A product adds its own here. */
export const LIMITS = ["members", "units", "todos", "serviceAccounts", "webhookEndpoints"] as const;
export type LimitName = (typeof LIMITS)[number];

/** The features of plans. If billing is off, every organization has all of them. A product adds its own here. */
export const FEATURES = ["audit"] as const;
export type FeatureName = (typeof FEATURES)[number];
