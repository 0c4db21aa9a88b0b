import { z } from "@hono/zod-openapi";
import { deferred } from "../definitions/deferred.ts";
import { permissionNames } from "./catalog.ts";

/** The name of a permission. */
export const permissionName = deferred(() =>
  z
    .enum(permissionNames())
    .openapi("PermissionName", { description: "The name of a permission, as `<Entity>.<Action>`." }),
);
