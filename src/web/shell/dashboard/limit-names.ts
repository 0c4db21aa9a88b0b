import type { Schemas } from "../../../client/index.ts";
import { dictionary, useTexts } from "../../lib/i18n.tsx";

const names = dictionary(
  {
    members: "Members",
    units: "Units",
    todos: "Todos",
    serviceAccounts: "Service accounts",
    webhookEndpoints: "Webhooks",
  },
  {
    members: "Μέλη",
    units: "Μονάδες",
    todos: "Εργασίες",
    serviceAccounts: "Λογαριασμοί υπηρεσίας",
    webhookEndpoints: "Webhooks",
  },
);

/** Returns a function that returns the name of a plan limit in the current language. */
export function useLimitNames() {
  const known: Partial<Record<string, string>> = useTexts(names);
  return (limit: Schemas["LimitName"]) => known[limit] ?? limit;
}
