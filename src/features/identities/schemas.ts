import { z } from "@hono/zod-openapi";
import { textExample, timestamp } from "../../core/api/fields.ts";
import { enteredPassword } from "../sessions/schemas.ts";

const Provider = z
  .object({
    key: textExample("google"),
    name: textExample("Google"),
  })
  .openapi("IdentityProvider");

const Identity = z
  .object({
    provider: textExample("google"),
    name: textExample("Google"),
    /** The email at the provider; it may differ from the account's. */
    email: textExample("ada@example.com").nullable(),
    linkedAt: timestamp,
  })
  .openapi("Identity");

export const Providers = z.array(Provider);
export const Identities = z.array(Identity);
export const ProviderPath = z.strictObject({
  provider: z.string().openapi({ param: { description: "The key of a provider, as `google`." } }),
});
export const LinkBody = z.strictObject({ password: enteredPassword.optional() }).openapi("LinkIdentityBody");
export const LinkResponse = z
  .object({ url: textExample("https://accounts.example.com/authorize?client_id=acme&state=x") })
  .openapi("LinkIdentityAnswer");
