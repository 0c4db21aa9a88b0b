import type { Client, PermissionName } from "../../client/index.ts";
import type { MenuItem } from "../lib/menu.ts";

/** Whether the user has an active organization, and the permission in it or in one of its units. */
const having = (permission?: PermissionName) => (client: Client) => {
  const session = client.session.get();
  if (session.status !== "signed-in" || session.organization === null) return false;
  return permission === undefined || Boolean(client.can(permission));
};

/** The items of this area in the main menu. */
export const organizationMenu: readonly MenuItem[] = [
  { to: "/organization", text: { en: "Organization", el: "Οργανισμός" }, isVisible: having() },
  { to: "/members", text: { en: "Members", el: "Μέλη" }, isVisible: having("Members.Read") },
  {
    to: "/service-accounts",
    text: { en: "Service accounts", el: "Λογαριασμοί υπηρεσίας" },
    isVisible: having("ServiceAccounts.Read"),
  },
  {
    to: "/invitations",
    text: { en: "Invitations", el: "Προσκλήσεις" },
    isVisible: having("Invitations.Read"),
  },
  { to: "/units", text: { en: "Units", el: "Μονάδες" }, isVisible: having("Units.Read") },
  { to: "/roles", text: { en: "Roles", el: "Ρόλοι" }, isVisible: having("Roles.Read") },
  { to: "/billing", text: { en: "Billing", el: "Χρέωση" }, isVisible: having("Billing.Read") },
  { to: "/audit", text: { en: "Audit log", el: "Ιστορικό ενεργειών" }, isVisible: having("Audit.Read") },
  { to: "/settings", text: { en: "Settings", el: "Ρυθμίσεις" }, isVisible: having("Organization.Update") },
];
