import { eventsAbout, feature } from "#kit";
import { audit } from "./audit.ts";
import { LIMITS } from "./limits.ts";
import { organizationRoutes } from "./routes.ts";
import { Organization, PlanOfEvent } from "./schemas.ts";

const permissions = {
  "Organization.Read": ["unit", "See the organization", "member"],
  "Organization.Update": ["organization", "Change the organization's name, slug and default role"],
} as const;

const events = {
  ...eventsAbout(Organization, "Organization.Read", {
    "organization.updated": "Name, slug, default role or policy about apps changed.",
    "organization.status_changed": "The organization was suspended or became active again.",
  }),
  ...eventsAbout(PlanOfEvent, "Organization.Read", {
    "organization.plan_changed": "A platform administrator changed the plan.",
  }),
};

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { organization: "organization" } as const;

declare module "#src/core/definitions/features" {
  interface Features {
    organizations: {
      permissions: typeof permissions;
      events: typeof events;
      audit: typeof audit;
      targets: typeof targets;
    };
  }
}

export const organizations = feature({
  tags: { organizations: "The active organization; for platform administrators, all organizations." },
  permissions,
  events,
  audit,
  targets,
  routes: [organizationRoutes],
  abuseLimits: LIMITS,
});
