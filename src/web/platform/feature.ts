import { consoleFeature } from "../lib/features.ts";
import { platformMenu } from "./menu.ts";
import { platformRoutes } from "./routes.ts";

export const platform = consoleFeature({
  routes: platformRoutes,
  menu: platformMenu,
});
