import { countSeats } from "../../core/accounts/pending-invitations.ts";
import { feature } from "../../core/api/feature.ts";
import { memberRoutes } from "./routes.ts";

export const members = feature({
  routes: [memberRoutes],
  limits: { members: countSeats },
});
