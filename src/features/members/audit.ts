import { z } from "@hono/zod-openapi";
import { type AuditEntry, addedAndRemoved, RoleEntry, UnitEntry, uuid } from "#kit";
import { endedApps } from "#kit/inside";

const roles = z.object({ roles: z.array(RoleEntry).describe("The roles that the member had."), endedApps });

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  MEMBER_ROLES_CHANGED: {
    target: "user",
    metadata: addedAndRemoved(RoleEntry).extend({
      via: z.literal("sso").optional().describe("Present if groups of a connection changed the roles."),
      connectionId: uuid.optional().describe("The connection whose groups changed the roles."),
    }),
    places: ["added", "removed"],
  },
  MEMBER_UNITS_CHANGED: {
    target: "user",
    metadata: addedAndRemoved(UnitEntry),
    places: ["added", "removed"],
  },
  MEMBER_REMOVED: { target: "user", metadata: roles, places: ["roles"] },
} as const satisfies Record<string, AuditEntry>;
