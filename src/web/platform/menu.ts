import type { Client } from "../../client/index.ts";
import type { MenuItem } from "../lib/menu.ts";

function isVisible(client: Client): boolean {
  const session = client.session.get();
  return session.status === "signed-in" && session.isPlatformAdmin && !session.mustEnableTwoFactor;
}

/** The items of the platform area in the main menu, for platform administrators. */
export const platformMenu: readonly MenuItem[] = [
  {
    to: "/platform/organizations",
    group: "platform",
    icon: "building",
    text: { en: "Organizations", el: "Οργανισμοί" },
    isVisible,
  },
  {
    to: "/platform/users",
    group: "platform",
    icon: "people",
    text: { en: "Users", el: "Χρήστες" },
    isVisible,
  },
  {
    to: "/platform/tickets",
    group: "platform",
    icon: "inbox",
    text: { en: "All tickets", el: "Όλα τα αιτήματα" },
    isVisible,
  },
  {
    to: "/platform/audit",
    group: "platform",
    icon: "list",
    text: { en: "Platform audit log", el: "Ιστορικό πλατφόρμας" },
    isVisible,
  },
];
