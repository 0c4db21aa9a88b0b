import { z } from "@hono/zod-openapi";
import { type AuditEntry, changeOf, textExample } from "#kit";
import { EXAMPLES } from "#kit/inside";
import { permissionName } from "../../core/access/claims.ts";

const permissions = z.array(permissionName);
const role = z.object({
  name: textExample("Editor").describe("The name of the role."),
  permissions: permissions.describe("The permissions of the role."),
});

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  ROLE_CREATED: { target: "role", metadata: role },
  ROLE_UPDATED: {
    target: "role",
    metadata: changeOf(
      role.extend({
        description: textExample(EXAMPLES.roleDescription).describe("The description of the role."),
      }),
    ),
  },
  ROLE_DELETED: { target: "role", metadata: role },
} as const satisfies Record<string, AuditEntry>;
