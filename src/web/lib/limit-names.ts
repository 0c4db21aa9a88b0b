import type { Schemas } from "../../client/index.ts";
import { useDeclaredNames } from "./features.ts";
import { dictionary, useTexts } from "./i18n.tsx";

const names = dictionary(
  {
    members: "Members",
    units: "Units",
    serviceAccounts: "Service accounts",
    webhookEndpoints: "Webhooks",
  },
  {
    members: "Μέλη",
    units: "Μονάδες",
    serviceAccounts: "Λογαριασμοί υπηρεσίας",
    webhookEndpoints: "Webhooks",
  },
);

export function useLimitNames() {
  const known: Partial<Record<string, string>> = { ...useTexts(names), ...useDeclaredNames("limits") };
  return (limit: Schemas["LimitName"]) => known[limit] ?? limit;
}
