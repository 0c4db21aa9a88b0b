import { useCan } from "../../../client/react.ts";
import type { Event, LinkedNames } from "../../ui/audit/names.ts";
import { useNames } from "./names.ts";

/** Whether the metadata names a unit in a list, such as the unit of an assigned role. */
const namesUnit = ({ metadata }: Event) =>
  Object.values(metadata).some(
    (value) => Array.isArray(value) && value.some((entry) => (entry as { unitId?: string }).unitId),
  );

export function useLinkedNames(events: readonly Event[]): LinkedNames {
  const names = useNames(events, events.some(namesUnit));
  const [maySeeAccounts, maySeeTickets, maySeeWebhooks, maySeeConnections] = [
    useCan("ServiceAccounts.Read"),
    useCan("Helpdesk.ReadOne"),
    useCan("Webhooks.Read"),
    useCan("SingleSignOn.Read"),
  ];
  return {
    ...names,
    organization: () => undefined,
    page(type, id) {
      if (type === "user" && names.person(id) !== undefined) return { to: `/members/${id}` };
      if (type === "unit" && names.unit(id) !== undefined) return { to: "/units", search: { unit: id } };
      if (type === "role" && names.role(id) !== undefined) return { to: `/roles/${id}` };
      if (type === "service_account" && maySeeAccounts) return { to: `/service-accounts/${id}` };
      if (type === "ticket" && maySeeTickets) return { to: `/helpdesk/tickets/${id}` };
      if (type === "webhook_endpoint" && maySeeWebhooks) return { to: `/webhooks/${id}` };
      if (type === "connection" && maySeeConnections) return { to: `/settings/sign-on/${id}` };
      return undefined;
    },
  };
}
