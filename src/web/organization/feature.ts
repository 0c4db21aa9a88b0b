import { consoleFeature } from "../lib/features.ts";
import { organizationMenu } from "./menu.ts";
import { organizationRoutes } from "./routes.ts";

export const organization = consoleFeature({
  routes: organizationRoutes,
  menu: organizationMenu,
});
