import { z } from "@hono/zod-openapi";
import { listQuery, pageOf, pathId, peopleSearch, textExample, timestamp, uuid } from "#kit";
import { assignmentsInput } from "../members/schemas.ts";

export const JoinableOrganization = z
  .object({
    id: uuid.describe("The id of the organization."),
    name: textExample("Acme").describe("The name of the organization."),
    mode: z.enum(["request", "automatic"]).describe("Whether joining asks its administrators first."),
    requestedAt: timestamp.nullable().describe("When the caller asked to join; null if no request is open."),
  })
  .openapi("JoinableOrganization");
export const JoinableOrganizations = z.array(JoinableOrganization);

export const JoinOutcome = z
  .object({ status: z.enum(["member", "requested"]).describe("What the caller is now.") })
  .openapi("JoinOutcome");

export const JoinRequest = z
  .object({
    id: uuid.describe("The id of the request."),
    user: z
      .object({
        id: uuid.describe("The id of the account."),
        email: textExample("ada@acme.com").describe("The email of the account."),
        firstName: textExample("Ada").describe("The first name."),
        lastName: textExample("Lovelace").describe("The last name."),
      })
      .describe("Who asks to join."),
    domain: textExample("acme.com").describe("The domain of the address."),
    createdAt: timestamp.describe("When the person asked."),
    expiresAt: timestamp.describe("When the request ends."),
  })
  .openapi("JoinRequest");
export const JoinRequestPage = pageOf(JoinRequest).openapi("JoinRequestPage");
export const JoinRequestQuery = listQuery(
  { sorts: ["createdAt"], defaultOrder: "desc" },
  { search: peopleSearch },
);
export const OrganizationPath = z.strictObject({ id: pathId("organization") });
export const JoinRequestPath = z.strictObject({ id: pathId("request") });
export const ApproveBody = z
  .strictObject({
    assignments: assignmentsInput
      .min(1)
      .optional()
      .describe("The roles of the new member, which the caller must hold; by default those of the domain."),
  })
  .openapi("ApproveJoinRequestBody");
