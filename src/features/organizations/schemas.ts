import { z } from "@hono/zod-openapi";
import { email, language, pathId, singleLine, textExample, timestamp, uuid } from "../../core/api/fields.ts";
import { idFilter, listQuery, pageOf, search } from "../../core/api/paging.ts";
import { organizationStatus as status } from "../../core/effects/entries.ts";
import { PlanOfRow } from "../../core/plans/schemas.ts";

export const Organization = z
  .object({
    id: uuid,
    name: textExample("Acme"),
    slug: textExample("acme"),
    status,
    defaultRoleId: uuid.nullable().openapi({ description: "Null: the platform's default role." }),
    createdAt: timestamp,
  })
  .openapi("Organization");

export const PlatformOrganization = Organization.extend({
  plan: PlanOfRow,
  memberCount: z.int().openapi({ example: 12 }),
}).openapi("PlatformOrganization");
export const PlatformOrganizationPage = pageOf(PlatformOrganization).openapi("PlatformOrganizationPage");

export const OwnOrganization = z
  .object({
    id: uuid,
    name: textExample("Acme"),
    slug: textExample("acme"),
    status,
    roles: z.array(textExample("ORG_ADMIN")),
    current: z.boolean().openapi({ description: "Whether the access token acts in it." }),
  })
  .openapi("OwnOrganization");

export const organizationName = singleLine({ min: 1, max: 100 });
const slug = z
  .string()
  .min(2)
  .max(63)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .openapi({ example: "acme" });

export const CreateOwnOrganizationBody = z
  .strictObject({ name: organizationName })
  .openapi("FoundOrganizationBody");
export const UpdateOrganizationBody = z
  .strictObject({
    name: organizationName.optional(),
    slug: slug.optional(),
    defaultRoleId: uuid.nullable().optional(),
  })
  .openapi("UpdateOrganizationBody");
export const CreateOrganizationBody = z
  .strictObject({
    name: organizationName,
    slug: slug.optional(),
    ownerEmail: email,
    ownerRoleIds: z.array(uuid).min(1).max(50).optional(),
    language: language.optional(),
  })
  .openapi("CreateOrganizationBody");
export const PlatformUpdateBody = UpdateOrganizationBody.pick({ name: true, slug: true }).openapi(
  "PlatformUpdateOrganizationBody",
);
export const StatusBody = z.strictObject({ status: status.optional() }).openapi("OrganizationStatusBody");
export const OrganizationPath = z.strictObject({ id: pathId("organization") });
export const OrganizationQuery = listQuery(
  { sorts: ["createdAt", "name"], defaultOrder: "desc" },
  { search, organization: idFilter("These organizations.") },
);
