import { deleteOldTicketMails } from "#sql/helpdesk/tickets";
import { feature } from "../../core/api/feature.ts";
import { helpdeskJobs } from "./jobs.ts";
import { organizationHelpdeskRoutes } from "./organization-routes.ts";
import { platformHelpdeskRoutes } from "./platform-routes.ts";
import { supportRoutes } from "./support-routes.ts";

const permissions = {
  "Helpdesk.Read": ["unit", "See the tickets of members"],
  "Helpdesk.ReadOne": ["unit", "Open the tickets of members"],
  "Helpdesk.Reply": ["unit", "Reply to tickets"],
  "Helpdesk.UpdateStatus": ["unit", "Change the status of tickets"],
} as const;

declare module "../../core/features.ts" {
  interface Features {
    helpdesk: { permissions: typeof permissions };
  }
}

export const helpdesk = feature({
  permissions,
  routes: [supportRoutes, organizationHelpdeskRoutes, platformHelpdeskRoutes],
  jobs: helpdeskJobs,
  // Records of sent mails that no longer count for a limit.
  retention: [deleteOldTicketMails],
});
