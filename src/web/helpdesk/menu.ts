import type { MenuItem } from "../lib/menu.ts";

export const helpdeskMenu: readonly MenuItem[] = [
  { to: "/support/tickets", icon: "ticket", text: { en: "My tickets", el: "Τα αιτήματά μου" } },
  {
    to: "/helpdesk/tickets",
    also: "/helpdesk/overview",
    icon: "inbox",
    text: { en: "Inbox", el: "Εισερχόμενα" },
  },
];
