import type { MenuItem } from "../lib/menu.ts";

/** The items of the helpdesk in the main menu. */
export const helpdeskMenu: readonly MenuItem[] = [
  { to: "/support/tickets", icon: "ticket", text: { en: "My tickets", el: "Τα αιτήματά μου" } },
  {
    to: "/helpdesk/tickets",
    also: "/helpdesk/overview",
    icon: "inbox",
    text: { en: "Inbox", el: "Εισερχόμενα" },
  },
];
