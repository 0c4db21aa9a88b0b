import { feature } from "../../core/api/feature.ts";
import { identityRoutes } from "./routes.ts";

export const identities = feature({
  routes: [identityRoutes],
});
