import { z } from "@hono/zod-openapi";
import { listQuery, pageOf, pathId, peopleSearch, search, textExample, timestamp, uuid } from "#kit";

export const SsoIdentity = z
  .object({
    user: z
      .object({
        id: uuid.describe("The id of the account."),
        email: textExample("ada@example.com").describe("The email of the account."),
        firstName: textExample("Ada").describe("The first name of the account."),
        lastName: textExample("Lovelace").describe("The last name of the account."),
      })
      .describe("The account."),
    subject: textExample("00u1a2b3").describe("The person's id at the provider."),
    email: textExample("ada@acme.com").describe("The address that the provider last sent."),
    groups: z.array(textExample("engineering")).describe("The groups of the last sign-in."),
    linkedAt: timestamp.describe("When the account was linked."),
    lastSignInAt: timestamp.describe("When the person last signed in."),
  })
  .openapi("SsoIdentity");
export const SsoIdentityPage = pageOf(SsoIdentity).openapi("SsoIdentityPage");
export const SsoIdentityQuery = listQuery(
  { sorts: ["email", "lastSignInAt"], defaultOrder: "asc" },
  { search: peopleSearch },
);
export const SsoIdentityPath = z.strictObject({
  id: pathId("connection"),
  userId: pathId("person's account"),
});

export const SsoGroup = z
  .object({
    group: textExample("engineering").describe("The group, as the provider sends it."),
    people: z.int().openapi({ example: 4 }).describe("How many people had it at their last sign-in."),
    mappings: z.int().openapi({ example: 1 }).describe("How many mappings it has."),
  })
  .openapi("SsoGroup");
export const SsoGroupPage = pageOf(SsoGroup).openapi("SsoGroupPage");
export const SsoGroupQuery = listQuery({ sorts: ["group", "people"], defaultOrder: "asc" }, { search });
