import type { Schemas } from "../../client/index.ts";
import { dictionary } from "../texts/dictionary.ts";
import { useDeclaredNames } from "./features.ts";
import { useTexts } from "./i18n.tsx";

const names = dictionary({
  members: { en: "Members", el: "Μέλη" },
  units: { en: "Units", el: "Μονάδες" },
  serviceAccounts: { en: "Service accounts", el: "Λογαριασμοί υπηρεσίας" },
  webhookEndpoints: { en: "Webhooks", el: "Webhooks" },
});

export function useLimitNames() {
  const known: Partial<Record<string, string>> = { ...useTexts(names), ...useDeclaredNames("limits") };
  return (limit: Schemas["LimitName"]) => known[limit] ?? limit;
}
