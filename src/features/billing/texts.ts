import type { Language } from "../../platform/i18n/languages.ts";

/** Texts returned by the API, by translation key. A product adds the names of its plans and limits here. */
const TEXTS: Record<string, Record<Language, string>> = {
  "billing.plans.free": { en: "Free", el: "Δωρεάν" },
  "billing.plans.pro": { en: "Pro", el: "Επαγγελματικό" },
  "billing.plans.enterprise": { en: "Enterprise", el: "Εταιρικό" },
  "billing.limits.members": { en: "Members", el: "Μέλη" },
  "billing.limits.units": { en: "Units", el: "Μονάδες" },
  "billing.limits.todos": { en: "Todos", el: "Εργασίες" },
  "billing.limits.serviceAccounts": { en: "Service accounts", el: "Λογαριασμοί υπηρεσίας" },
  "billing.limits.webhookEndpoints": { en: "Webhook endpoints", el: "Webhooks" },
};

/** Returns the text of `<prefix>.<key>`, or the key itself if there is none. */
export const translated = (prefix: string, key: string, language: Language): string =>
  TEXTS[`${prefix}.${key}`]?.[language] ?? key;
