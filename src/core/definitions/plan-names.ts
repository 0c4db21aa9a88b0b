/** The limits of plans. A product adds its own here. */
export const LIMITS = ["members", "units", "todos", "serviceAccounts", "webhookEndpoints"] as const;
export type LimitName = (typeof LIMITS)[number];

/** The features of plans; all are available if billing is off. A product adds its own here. */
export const FEATURES = ["audit"] as const;
export type FeatureName = (typeof FEATURES)[number];
