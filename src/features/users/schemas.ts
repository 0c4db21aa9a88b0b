import { z } from "@hono/zod-openapi";
import { idFilter, listQuery, pageOf, pathId, peopleSearch, textExample, uuid } from "#kit";
import { User } from "../../core/accounts/user.ts";

export const PlatformUser = User.extend({
  organizations: z
    .array(
      z.object({
        id: uuid.describe("The id of the organization."),
        name: textExample("Acme").describe("The name of the organization."),
      }),
    )
    .describe("The organizations that the account is a member of."),
}).openapi("PlatformUser");
export const PlatformUserPage = pageOf(PlatformUser).openapi("PlatformUserPage");
export const UserPath = z.strictObject({ id: pathId("account") });
export const UserQuery = listQuery(
  { sorts: ["createdAt", "email", "lastName"], defaultOrder: "desc" },
  {
    search: peopleSearch,
    organization: idFilter("Only members of these organizations."),
    unit: idFilter("Only members of these units and their sub-units."),
    member: idFilter("Return only accounts with these ids."),
  },
);
export const PlatformAdminBody = z
  .strictObject({
    isPlatformAdmin: z.boolean().optional().describe("Whether the account is a platform administrator."),
  })
  .openapi("PlatformAdminBody");
