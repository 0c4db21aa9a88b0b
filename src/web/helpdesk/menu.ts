import type { MenuItem } from "../lib/menu.ts";

/** The items of this area in the main menu. */
export const helpdeskMenu: readonly MenuItem[] = [
  { to: "/support/tickets", text: { en: "Support", el: "Υποστήριξη" } },
  {
    to: "/helpdesk/tickets",
    text: { en: "Helpdesk", el: "Γραφείο υποστήριξης" },
    isVisible: (client) => Boolean(client.can("Helpdesk.Read")),
  },
];
