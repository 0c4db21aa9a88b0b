import { deleteOldSends } from "#sql/invitations";
import { feature } from "../../core/api/feature.ts";
import { invitationJobs } from "./jobs.ts";
import { invitationRoutes } from "./routes.ts";

const permissions = {
  "Invitations.Create": ["unit", "Invite people"],
  "Invitations.Read": ["unit", "See pending invitations"],
  "Invitations.Resend": ["unit", "Send invitations again"],
  "Invitations.Delete": ["unit", "Revoke invitations"],
} as const;

declare module "../../core/features.ts" {
  interface Features {
    invitations: { permissions: typeof permissions };
  }
}

export const invitations = feature({
  permissions,
  routes: [invitationRoutes],
  jobs: invitationJobs,
  // Records of sent mails that no longer count for a limit.
  retention: [deleteOldSends],
});
