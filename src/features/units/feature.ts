import { feature } from "../../core/api/feature.ts";
import { countUnits } from "./read.ts";
import { unitRoutes } from "./routes.ts";

export const units = feature({
  routes: [unitRoutes],
  limits: { units: countUnits },
});
