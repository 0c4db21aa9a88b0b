import { z } from "@hono/zod-openapi";
import { pathId, textExample, uuid } from "../../core/api/fields.ts";
import { idFilter, listQuery, pageOf, search } from "../../core/api/paging.ts";
import { User } from "../../core/people/schemas.ts";

export const PlatformUser = User.extend({
  organizations: z.array(z.object({ id: uuid, name: textExample("Acme") })),
}).openapi("PlatformUser");
export const PlatformUserPage = pageOf(PlatformUser).openapi("PlatformUserPage");
export const UserPath = z.strictObject({ id: pathId("account") });
export const UserQuery = listQuery(
  { sorts: ["createdAt", "email", "lastName"], defaultOrder: "desc" },
  {
    search,
    organization: idFilter("Members of these organizations."),
    unit: idFilter("Members who are linked to these units or their sub-units."),
    member: idFilter("These accounts."),
  },
);
export const PlatformAdminBody = z
  .strictObject({ isPlatformAdmin: z.boolean().optional() })
  .openapi("PlatformAdminBody");
