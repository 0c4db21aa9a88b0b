import { z } from "@hono/zod-openapi";
import { timestamp } from "../http/fields.ts";
import { enteredPassword } from "../sessions/schemas.ts";

const Provider = z
  .object({
    key: z.string().openapi({ example: "google" }),
    name: z.string().openapi({ example: "Google" }),
  })
  .openapi("IdentityProvider");

const Identity = z
  .object({
    provider: z.string(),
    name: z.string(),
    /** As the provider said; it need not be the account's. */
    email: z.string().nullable(),
    linkedAt: timestamp,
  })
  .openapi("Identity");

export const Providers = z.array(Provider);
export const Identities = z.array(Identity);
export const ProviderPath = z.strictObject({ provider: z.string() });
export const LinkBody = z.strictObject({ password: enteredPassword.optional() }).openapi("LinkIdentityBody");
export const LinkAnswer = z.object({ url: z.string() }).openapi("LinkIdentityAnswer");
