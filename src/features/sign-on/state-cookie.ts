import { z } from "zod";
import type { Config } from "#kit";
import { authorizationSecrets, browserState } from "../identities/browser-state.ts";

/** The data that a callback must match: the connection as it was, the purpose, and the secrets of this authorization. */
const State = z.object({
  connectionId: z.guid(),
  /** The version of the connection's provider and claims: if they change meanwhile, the flow ends. */
  version: z.number(),
  issuer: z.string(),
  purpose: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("sign-in") }),
    z.object({ kind: z.literal("test"), testId: z.guid() }),
    z.object({ kind: z.literal("reauthenticate"), userId: z.guid(), sessionId: z.guid() }),
  ]),
  secrets: authorizationSecrets,
});
export type State = z.output<typeof State>;
export type Purpose = State["purpose"];

/** Returns the cookie that binds a callback to the browser that started the sign-in by a connection. */
export const stateCookie = (config: Pick<Config, "jwtSecret" | "jwtSecretPrevious" | "production">) =>
  browserState({ name: "sso_state", path: "/api/auth/sso", purpose: "sso state", content: State }, config);

export const STATE_COOKIE = "The sso_state cookie: HttpOnly, SameSite=Lax, Path=/api/auth/sso, 10 minutes.";
