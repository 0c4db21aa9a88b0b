import { consoleFeature } from "../lib/features.ts";
import { lazyPage } from "../lib/lazy-page.ts";
import { helpdeskRoutes } from "./routes.ts";

export const helpdesk = consoleFeature({
  routes: helpdeskRoutes,
  menu: [
    { to: "/support/tickets", icon: "ticket", text: { en: "My tickets", el: "Τα αιτήματά μου" } },
    {
      to: "/helpdesk/tickets",
      also: "/helpdesk/overview",
      icon: "inbox",
      text: { en: "Inbox", el: "Εισερχόμενα" },
    },
  ],
  home: { part: lazyPage(() => import("./own.tsx"), "OwnTickets") },
});
