import type { Language } from "../../platform/i18n/languages.ts";

/**
 * Texts of plans and limits that the API returns, by translation key. A product adds the names of its plans and
 * limits here.
 */
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

/** Returns the text for the key `<prefix>.<key>`; `key` itself if there is no text. */
export const translated = (prefix: string, key: string, language: Language): string =>
  TEXTS[`${prefix}.${key}`]?.[language] ?? key;
