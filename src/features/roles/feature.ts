import { eventsAbout, feature } from "#kit";
import { audit } from "./audit.ts";
import { roleRoutes } from "./routes.ts";
import { Role } from "./schemas.ts";

const permissions = {
  "Roles.Read": ["unit", "See roles"],
  "Roles.Create": ["organization", "Create roles"],
  "Roles.Update": ["organization", "Change roles"],
  "Roles.Delete": ["organization", "Delete roles"],
} as const;

const events = eventsAbout(Role, "Roles.Read", {
  "role.created": "A role was created.",
  "role.updated": "A role changed.",
  "role.deleted": "A role was deleted.",
});

/** Whom an audit event about such a record concerns (rules 16.14). */
const targets = { role: "organization" } as const;

declare module "#src/core/definitions/features" {
  interface Features {
    roles: {
      permissions: typeof permissions;
      events: typeof events;
      audit: typeof audit;
      targets: typeof targets;
    };
  }
}

export const roles = feature({
  tags: { roles: "Permissions, and the roles that bundle them." },
  permissions,
  events,
  audit,
  targets,
  routes: [roleRoutes],
});
