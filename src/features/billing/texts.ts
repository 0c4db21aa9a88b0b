import type { Language } from "#kit";

/** The names of the plans that the API returns, by key. A product adds the names of its plans here. */
const PLANS: Record<string, Record<Language, string>> = {
  free: { en: "Free", el: "Δωρεάν" },
  pro: { en: "Pro", el: "Επαγγελματικό" },
  enterprise: { en: "Enterprise", el: "Εταιρικό" },
};

/** Returns the name of a plan; its key if it has no name. */
export const planName = (key: string, language: Language): string => PLANS[key]?.[language] ?? key;
