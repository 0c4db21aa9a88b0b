import { deleteOldTicketMails } from "#sql/helpdesk/tickets";
import { feature } from "../../core/api/feature.ts";
import { helpdeskJobs } from "./jobs.ts";
import { organizationHelpdeskRoutes } from "./organization-routes.ts";
import { platformHelpdeskRoutes } from "./platform-routes.ts";
import { supportRoutes } from "./support-routes.ts";

export const helpdesk = feature({
  routes: [supportRoutes, organizationHelpdeskRoutes, platformHelpdeskRoutes],
  jobs: helpdeskJobs,
  // Records of sent mails that no longer count for a limit.
  retention: [deleteOldTicketMails],
});
