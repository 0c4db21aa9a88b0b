import { z } from "@hono/zod-openapi";
import { email, pathId, textExample, uuid } from "#kit";
import { Assignment } from "../members/schemas.ts";

const text = (example: string) => textExample(example).nullable();

export const ConnectionTest = z
  .object({
    outcome: z
      .enum(["pending", "passed", "failed"])
      .openapi({ example: "passed" })
      .describe(
        "`passed`: the answer of the provider is valid and names a person, whether or not that person would come in.",
      ),
    subject: text("00u1a2b3").describe("The person's id at the provider."),
    email: text("ada@acme.com").describe("The address that the provider sent."),
    emailVerified: z
      .boolean()
      .nullable()
      .describe("Whether the provider vouches for the address; null if it does not say."),
    firstName: text("Ada").describe("The first name that a new account would have."),
    lastName: text("Lovelace").describe("The last name that a new account would have."),
    groups: z
      .array(textExample("engineering"))
      .nullable()
      .describe("The groups that the provider sent; null if it sent none."),
    wouldBe: z
      .enum(["enter", "link", "accept-invitation", "create", "refused"])
      .nullable()
      .openapi({ example: "enter" })
      .describe("What a sign-in would do; null if the provider failed, and for a setup link."),
    assignments: z
      .array(Assignment)
      .describe("The roles that the connection would give; none for a setup link."),
    problems: z
      .array(textExample("DOMAIN_MISMATCH"))
      .describe("The codes of what a sign-in would be refused for, or of what would not change roles."),
  })
  .openapi("ConnectionTest");

export const ConnectionTestStarted = z
  .object({
    testId: uuid.describe("The id of the test, which is readable for 15 minutes."),
    url: textExample("https://id.example.com/authorize?client_id=acme&state=x").describe(
      "The address of the provider's page; open it in the same browser.",
    ),
  })
  .openapi("ConnectionTestStarted");

export const ConnectionTestPath = z.strictObject({ id: pathId("connection"), testId: pathId("test") });
export const SsoPath = z.strictObject({ connectionId: pathId("connection") });
export const DiscoverBody = z
  .strictObject({ email: email.describe("The address of whoever wants to sign in.") })
  .openapi("DiscoverConnectionBody");
export const Discovered = z
  .object({
    connection: z
      .object({
        id: uuid.describe("The id of the connection."),
        name: textExample("Acme").describe("The name of the connection, for the button."),
      })
      .nullable()
      .describe("The connection by which people of the address's domain sign in; null if there is none."),
  })
  .openapi("DiscoveredConnection");
export const AuthorizationUrl = z
  .object({
    url: textExample("https://id.example.com/authorize?client_id=acme&state=x").describe(
      "The address of the provider's page; open it in the same browser.",
    ),
  })
  .openapi("SsoAuthorization");
