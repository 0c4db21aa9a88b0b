import { feature } from "../../core/feature.ts";
import { identityRoutes } from "./routes.ts";

export const identities = feature({
  routes: [identityRoutes],
});
