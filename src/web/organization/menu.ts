import type { Client, PermissionName } from "../../client/index.ts";
import type { MenuItem } from "../lib/menu.ts";

/** Returns whether the user has an active organization, and the permission there or in one of its units. */
const having = (permission?: PermissionName) => (client: Client) => {
  const session = client.session.get();
  if (session.status !== "signed-in" || session.organization === null) return false;
  return permission === undefined || Boolean(client.can(permission));
};

/** The items of the organization area in the main menu. */
export const organizationMenu: readonly MenuItem[] = [
  {
    to: "/members",
    also: "/invitations",
    group: "people",
    icon: "people",
    text: { en: "Members", el: "Μέλη" },
    isVisible: having("Members.Read"),
  },
  {
    to: "/invitations",
    group: "people",
    icon: "mail",
    text: { en: "Invitations", el: "Προσκλήσεις" },
    // For users who may see members, the invitations are a tab of the page of members instead of an item here.
    isVisible: (client) => having("Invitations.Read")(client) && !having("Members.Read")(client),
  },
  {
    to: "/units",
    group: "people",
    icon: "units",
    text: { en: "Units", el: "Μονάδες" },
    isVisible: having("Units.Read"),
  },
  {
    to: "/roles",
    group: "people",
    icon: "key",
    text: { en: "Roles", el: "Ρόλοι" },
    isVisible: having("Roles.Read"),
  },
  {
    to: "/service-accounts",
    group: "people",
    icon: "robot",
    text: { en: "Service accounts", el: "Λογαριασμοί υπηρεσίας" },
    isVisible: having("ServiceAccounts.Read"),
  },
  {
    to: "/webhooks",
    also: "/events",
    group: "people",
    icon: "webhook",
    text: { en: "Webhooks", el: "Webhooks" },
    isVisible: having("Webhooks.Read"),
  },
  {
    to: "/events",
    group: "people",
    icon: "webhook",
    text: { en: "Events", el: "Συμβάντα" },
    // For users who may see webhooks, the events are a tab of the page of webhooks instead of an item here.
    isVisible: (client) => having("Events.Read")(client) && !having("Webhooks.Read")(client),
  },
  {
    to: "/organization",
    group: "organization",
    icon: "building",
    text: { en: "Organization", el: "Οργανισμός" },
    isVisible: having(),
  },
  {
    to: "/billing",
    group: "organization",
    icon: "card",
    text: { en: "Usage & billing", el: "Χρήση και χρέωση" },
    isVisible: having("Billing.Read"),
  },
  {
    to: "/audit",
    group: "organization",
    icon: "list",
    text: { en: "Audit log", el: "Ιστορικό ενεργειών" },
    isVisible: having("Audit.Read"),
  },
  {
    to: "/settings",
    group: "organization",
    icon: "settings",
    text: { en: "Settings", el: "Ρυθμίσεις" },
    isVisible: having("Organization.Update"),
  },
];
