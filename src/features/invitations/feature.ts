import { eventsAbout, feature } from "#kit";
import { deleteOldSends } from "#sql/invitations";
import { audit } from "./audit.ts";
import { invitationJobs } from "./jobs.ts";
import { LIMITS } from "./limits.ts";
import { mails } from "./mails.ts";
import { notifications } from "./notifications.ts";
import { personalData } from "./personal-data.ts";
import { invitationRoutes } from "./routes.ts";
import { Invitation } from "./schemas.ts";

const permissions = {
  "Invitations.Create": ["unit", "Invite people"],
  "Invitations.Read": ["unit", "See pending invitations"],
  "Invitations.Resend": ["unit", "Send invitations again"],
  "Invitations.Delete": ["unit", "Revoke invitations"],
} as const;

const events = eventsAbout(Invitation, "Invitations.Read", {
  "invitation.created": "A person was invited.",
  "invitation.resent": "An invitation was sent again.",
  "invitation.accepted": "An invitation was accepted.",
  "invitation.revoked": "An invitation was revoked, or replaced by a new one.",
});

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { invitation: "places" } as const;

declare module "#src/core/definitions/features" {
  interface Features {
    invitations: {
      permissions: typeof permissions;
      events: typeof events;
      audit: typeof audit;
      targets: typeof targets;
      notifications: typeof notifications;
      mails: typeof mails;
    };
  }
}

export const invitations = feature({
  tags: { invitations: "Inviting an email address to the organization by a single-use link." },
  permissions,
  events,
  audit,
  targets,
  notifications,
  mails,
  routes: [invitationRoutes],
  jobs: invitationJobs,
  // Records of sent mails that no longer count for a limit.
  retention: [deleteOldSends],
  personalData,
  abuseLimits: LIMITS,
});
