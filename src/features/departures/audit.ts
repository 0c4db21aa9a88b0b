import { z } from "@hono/zod-openapi";
import { type AuditEntry, RoleEntry } from "#kit";
import { endedApps } from "#kit/inside";

const roles = z.object({ roles: z.array(RoleEntry).describe("The roles that the member had."), endedApps });

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  MEMBER_LEFT: { target: "user", metadata: roles, places: ["roles"] },
} as const satisfies Record<string, AuditEntry>;
