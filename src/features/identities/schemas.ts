import { z } from "@hono/zod-openapi";
import { shown, timestamp } from "../../core/api/fields.ts";
import { enteredPassword } from "../sessions/schemas.ts";

const Provider = z
  .object({
    key: shown("google"),
    name: shown("Google"),
  })
  .openapi("IdentityProvider");

const Identity = z
  .object({
    provider: shown("google"),
    name: shown("Google"),
    /** As the provider said; it need not be the account's. */
    email: shown("ada@example.com").nullable(),
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
  .object({ url: shown("https://accounts.example.com/authorize?client_id=acme&state=x") })
  .openapi("LinkIdentityAnswer");
