import { z } from "@hono/zod-openapi";
import { uuid } from "../http/fields.ts";
import { idFilter, listQuery, pageOf, search } from "../http/paging.ts";
import { User } from "../profile/schemas.ts";

export const PlatformUser = User.extend({
  organizations: z.array(z.object({ id: uuid, name: z.string() })),
}).openapi("PlatformUser");
export const PlatformUserPage = pageOf(PlatformUser).openapi("PlatformUserPage");
export const UserPath = z.strictObject({ id: uuid });
export const UserQuery = listQuery(
  { sorts: ["createdAt", "email", "lastName"], usualOrder: "desc" },
  { search, organization: idFilter, unit: idFilter, member: idFilter },
);
export const PlatformAdminBody = z
  .strictObject({ isPlatformAdmin: z.boolean().optional() })
  .openapi("PlatformAdminBody");
