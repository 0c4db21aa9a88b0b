import { deleteOldSends } from "#sql/invitations";
import { feature } from "../../core/api/feature.ts";
import { invitationJobs } from "./jobs.ts";
import { invitationRoutes } from "./routes.ts";

export const invitations = feature({
  routes: [invitationRoutes],
  jobs: invitationJobs,
  // Records of sent mails that no longer count for a limit.
  retention: [deleteOldSends],
});
