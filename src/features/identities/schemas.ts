import { z } from "@hono/zod-openapi";
import { textExample, timestamp, uuid } from "#kit";
import { enteredPassword } from "../sessions/schemas.ts";

const Provider = z
  .object({
    key: textExample("google").describe("The key that identifies the provider in paths."),
    name: textExample("Google").describe("The name of the provider, for the sign-in button."),
  })
  .openapi("IdentityProvider");

const Identity = z
  .object({
    provider: textExample("google").describe(
      "The key of the provider; `sso` for the connection of an organization.",
    ),
    name: textExample("Google").describe("The name of the provider."),
    /** The email at the provider; it may differ from the account's. */
    email: textExample("ada@example.com")
      .nullable()
      .describe(
        "The email of the identity at the provider, which may differ from the account's; null if the provider sent none.",
      ),
    linkedAt: timestamp.describe("When the identity was linked to the account."),
    organization: z
      .object({
        id: uuid.describe("The id of the organization."),
        name: textExample("Acme").describe("The name of the organization."),
      })
      .nullable()
      .describe("The organization of the connection; null for a provider of the service."),
    connectionId: uuid
      .nullable()
      .describe(
        "The connection, whose identities the organization alone removes; null for a provider of the service.",
      ),
  })
  .openapi("Identity");

export const Providers = z.array(Provider);
export const Identities = z.array(Identity);
export const ProviderPath = z.strictObject({
  provider: z.string().openapi({ param: { description: "The key of a provider, such as `google`." } }),
});
export const LinkBody = z
  .strictObject({ password: enteredPassword.optional().describe("Required if the account has a password.") })
  .openapi("LinkIdentityBody");
export const LinkResponse = z
  .object({
    url: textExample("https://accounts.example.com/authorize?client_id=acme&state=x").describe(
      "The address of the provider's page; open it in the same browser.",
    ),
  })
  .openapi("LinkIdentityAnswer");
