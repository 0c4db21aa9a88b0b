import { countSeats } from "../../core/accounts/pending-invitations.ts";
import { feature } from "../../core/api/feature.ts";
import { memberRoutes } from "./routes.ts";

const permissions = {
  "Members.Read": ["unit", "See members"],
  "Members.UpdateRoles": ["unit", "Change members' roles"],
  "Members.UpdateUnits": ["unit", "Change members' units"],
  "Members.Delete": ["unit", "Remove members"],
} as const;

declare module "../../core/features.ts" {
  interface Features {
    members: { permissions: typeof permissions };
  }
}

export const members = feature({
  permissions,
  routes: [memberRoutes],
  limits: { members: countSeats },
});
