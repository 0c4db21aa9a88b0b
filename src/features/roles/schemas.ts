import { z } from "@hono/zod-openapi";
import { inCatalogOrder } from "../../core/access/catalog.ts";
import { permissionName } from "../../core/access/schemas.ts";
import { longText, pathId, singleLine, textExample, uuid } from "../../core/api/fields.ts";
import { pageOf, search, sorting, wholeListQuery } from "../../core/api/paging.ts";

export const PermissionItem = z
  .object({
    name: permissionName,
    scope: z.enum(["organization", "unit"]).openapi({
      description: "`organization`: means nothing in a role that is given in a unit.",
    }),
    description: textExample("See members"),
  })
  .openapi("Permission");

export const Role = z
  .object({
    id: uuid,
    name: textExample("Editor"),
    description: textExample("Keeps the todos tidy"),
    permissions: z.array(permissionName),
    builtIn: z.boolean(),
    organizationId: uuid.nullable(),
  })
  .openapi("Role");
export const RolePage = pageOf(Role).openapi("RolePage");
export const RolePath = z.strictObject({ id: pathId("role") });
export const RoleQuery = wholeListQuery({
  search,
  ...sorting({ sorts: ["createdAt", "name"], defaultOrder: "desc" }),
});

const name = singleLine({ min: 1, max: 100 });
const description = longText({ min: 0, max: 500 });
/** More than there are: the same one twice is one. */
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
  .strictObject({ name, description: description.default(""), permissions })
  .openapi("CreateRoleBody");
export const UpdateRoleBody = z
  .strictObject({
    name: name.optional(),
    description: description.optional(),
    permissions: permissions.optional(),
  })
  .openapi("UpdateRoleBody");
