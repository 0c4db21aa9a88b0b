import { z } from "@hono/zod-openapi";
import { permissionNames } from "./catalog.ts";

/** The name of a permission. */
export const permissionName = z
  .enum(permissionNames)
  .openapi("PermissionName", { description: "The name of a permission, as `<Entity>.<Action>`." });
