import { z } from "@hono/zod-openapi";
import { type AuditEntry, changeOf, fromTo, textExample, uuid } from "#kit";
import { endedApps, organizationStatus } from "#kit/inside";
import { APP_POLICIES } from "../../core/access/app-operator.ts";

const name = z.object({ name: textExample("Acme").describe("The name of the organization.") });

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  ORGANIZATION_CREATED: { target: "organization", metadata: name },
  ORGANIZATION_DELETED: {
    target: "organization",
    metadata: name.extend({
      slug: textExample("acme").describe("The short name of the organization."),
      endedApps,
    }),
  },
  ORGANIZATION_UPDATED: {
    target: "organization",
    metadata: changeOf(
      name.extend({
        slug: textExample("acme").describe("The short name of the organization."),
        defaultRoleId: uuid
          .nullable()
          .describe("The id of the organization's default role; null for the platform's default role."),
        connectedApps: z
          .enum(APP_POLICIES)
          .nullable()
          .describe("Which apps members may connect; null for what the operator configured."),
      }),
    ).extend({
      endedApps,
    }),
  },
  ORGANIZATION_STATUS_CHANGED: { target: "organization", metadata: fromTo(organizationStatus) },
} as const satisfies Record<string, AuditEntry>;
