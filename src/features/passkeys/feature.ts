import { deleteExpiredWebauthnChallenges } from "#sql/people/passkeys";
import { feature } from "../../core/api/feature.ts";
import { passkeyRoutes } from "./routes.ts";

export const passkeys = feature({
  routes: [passkeyRoutes],
  retention: [deleteExpiredWebauthnChallenges],
});
