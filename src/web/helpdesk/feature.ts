import { consoleFeature } from "../lib/features.ts";
import { lazyPage } from "../lib/lazy-page.ts";
import { helpdeskMenu } from "./menu.ts";
import { helpdeskRoutes } from "./routes.ts";

export const helpdesk = consoleFeature({
  routes: helpdeskRoutes,
  menu: helpdeskMenu,
  home: { part: lazyPage(() => import("./own.tsx"), "OwnTickets") },
});
