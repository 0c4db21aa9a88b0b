import { z } from "@hono/zod-openapi";
import {
  inCatalogOrder,
  longText,
  pageOf,
  pathId,
  productText,
  search,
  singleLine,
  sorting,
  textExample,
  unpagedListQuery,
  uuid,
} from "#kit";
import { EXAMPLES } from "#kit/inside";
import { permissionName } from "../../core/access/claims.ts";

export const PermissionItem = z
  .object({
    name: permissionName,
    scope: z.enum(["organization", "unit"]).openapi({
      description:
        "The scope of the permission. `organization`: the permission has no effect in a role that is assigned in a unit.",
    }),
    description: textExample("See members").describe("What the permission allows."),
    product: z.boolean().describe("Whether the product whose code runs elsewhere declares it."),
    text: productText
      .nullable()
      .describe("What it allows, in each language; null if the product does not declare it."),
  })
  .openapi("Permission");

export const Role = z
  .object({
    id: uuid.describe("The id of the role."),
    name: textExample("Editor").describe("The name of the role, unique in the organization, ignoring case."),
    description: textExample(EXAMPLES.roleDescription).describe("The purpose of the role; may be empty."),
    permissions: z.array(permissionName).describe("The permissions of the role."),
    builtIn: z.boolean().describe("Whether the role is built in. Built-in roles cannot be changed."),
    organizationId: uuid.nullable().describe("The organization of the role; null for a built-in role."),
  })
  .openapi("Role");
export const RolePage = pageOf(Role).openapi("RolePage");
export const RolePath = z.strictObject({ id: pathId("role") });
export const RoleQuery = unpagedListQuery({
  search,
  ...sorting({ sorts: ["createdAt", "name"], defaultOrder: "desc" }),
});

const name = singleLine({ min: 1, max: 100 });
const description = longText({ min: 0, max: 500 });
/**
 * The maximum length of the list of permissions. It is higher than the number of permissions, because duplicates
 * count as one.
 */
const MAX_PERMISSIONS = 100;
const permissions = z
  .array(permissionName)
  .max(MAX_PERMISSIONS)
  .transform((names) => inCatalogOrder(names))
  .openapi({
    type: "array",
    items: { $ref: "#/components/schemas/PermissionName" },
    maxItems: MAX_PERMISSIONS,
  });

export const CreateRoleBody = z
  .strictObject({
    name: name.describe("The name of the role, unique in the organization, ignoring case."),
    description: description.default("").describe("The purpose of the role."),
    permissions: permissions.describe("The permissions of the role; the caller must hold all of them."),
  })
  .openapi("CreateRoleBody");
export const UpdateRoleBody = z
  .strictObject({
    name: name.optional().describe("The new name."),
    description: description.optional().describe("The new description."),
    permissions: permissions
      .optional()
      .describe("The new permissions of the role, which replace all earlier ones."),
  })
  .openapi("UpdateRoleBody");
