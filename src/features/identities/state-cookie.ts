import { z } from "zod";
import type { Config } from "#kit";
import { authorizationSecrets, browserState } from "./browser-state.ts";

/** The data that a callback must match: the provider, the purpose, and the secrets of this authorization. */
const State = z.object({
  provider: z.string(),
  purpose: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("sign-in") }),
    z.object({ kind: z.literal("link"), userId: z.guid() }),
    z.object({ kind: z.literal("reauthenticate"), userId: z.guid(), sessionId: z.guid() }),
  ]),
  secrets: authorizationSecrets,
});
export type State = z.output<typeof State>;
export type Purpose = State["purpose"];

/** Returns the cookie that binds a callback to the browser that started the sign-in by a provider. */
export const stateCookie = (config: Pick<Config, "jwtSecret" | "jwtSecretPrevious" | "production">) =>
  browserState({ name: "oidc_state", path: "/api/auth/oidc", purpose: "oidc state", content: State }, config);
