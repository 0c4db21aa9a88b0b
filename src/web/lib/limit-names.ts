import type { Schemas } from "../../client/index.ts";
import { dictionary, useTexts } from "./i18n.tsx";

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

/** Returns a function that names a limit of the plan. */
export function useLimitNames() {
  const known: Partial<Record<string, string>> = useTexts(names);
  return (limit: Schemas["LimitName"]) => known[limit] ?? limit;
}
