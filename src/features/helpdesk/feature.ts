import { eventsAbout, feature } from "#kit";
import { deleteOldTicketMails } from "#sql/helpdesk/tickets";
import { helpdeskJobs } from "./abandoned-uploads.ts";
import { audit } from "./audit.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { organizationHelpdeskRoutes } from "./organization-routes.ts";
import { personalData } from "./personal-data.ts";
import { platformHelpdeskRoutes } from "./platform-routes.ts";
import { Ticket, TicketMessageOfEvent } from "./schemas.ts";
import { supportRoutes } from "./support-routes.ts";

const permissions = {
  "Helpdesk.Read": ["unit", "See the tickets of members"],
  "Helpdesk.ReadOne": ["unit", "Open the tickets of members"],
  "Helpdesk.Reply": ["unit", "Reply to tickets"],
  "Helpdesk.UpdateStatus": ["unit", "Change the status of tickets"],
} as const;

const events = {
  ...eventsAbout(Ticket, "Helpdesk.ReadOne", {
    "ticket.created": "A ticket was created.",
    "ticket.updated": "The status of a ticket changed.",
    "ticket.deleted": "A ticket was deleted.",
  }),
  ...eventsAbout(TicketMessageOfEvent, "Helpdesk.ReadOne", {
    "ticket.message_created": "A reply or an internal note was written. The text is not part of the event.",
  }),
};

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { ticket: "person" } as const;

declare module "#src/core/definitions/features" {
  interface Features {
    helpdesk: {
      permissions: typeof permissions;
      events: typeof events;
      audit: typeof audit;
      targets: typeof targets;
      notifications: typeof notifications;
      mails: typeof mails;
    };
  }
}

export const helpdesk = feature({
  tags: { helpdesk: "Tickets with screenshots, and the queues of organization and platform staff." },
  permissions,
  events,
  audit,
  targets,
  notifications,
  mails,
  routes: [supportRoutes, organizationHelpdeskRoutes, platformHelpdeskRoutes],
  jobs: helpdeskJobs,
  // Records of sent mails that no longer count for a limit.
  retention: [deleteOldTicketMails],
  personalData,
  abuseLimits: LIMITS,
});
