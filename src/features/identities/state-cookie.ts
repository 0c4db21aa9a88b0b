import { z } from "zod";
import type { Config } from "../../core/config.ts";
import { createCipher } from "../../platform/crypto.ts";
import { cookieFrom } from "../../platform/http/headers.ts";

const NAME = "oidc_state";
const LIFETIME_SECONDS = 10 * 60;

/** What a callback must fit to: which provider this browser was sent to, what for, and the secrets of that visit. */
const State = z.object({
  provider: z.string(),
  purpose: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("sign-in") }),
    z.object({ kind: z.literal("link"), userId: z.guid() }),
  ]),
  secrets: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  /** In milliseconds. The browser's own limit is only a courtesy. */
  expiresAt: z.number(),
});
export type State = z.output<typeof State>;
export type Purpose = State["purpose"];

/**
 * The cookie that binds a callback to the browser that began. Encrypted and not only signed: who reads it, be it the
 * owner of the browser, has no use for a nonce and a verifier but a bad one.
 */
export function stateCookie({
  jwtSecret,
  jwtSecretPrevious,
  production,
}: Pick<Config, "jwtSecret" | "jwtSecretPrevious" | "production">) {
  const cipher = createCipher(jwtSecret, "oidc state", jwtSecretPrevious);
  const header = (value: string, maxAgeSeconds: number) =>
    `${NAME}=${value}; Path=/api/auth/oidc; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${production ? "; Secure" : ""}`;
  return {
    /** The `Set-Cookie` that keeps it for ten minutes. */
    set: (state: Omit<State, "expiresAt">) =>
      header(
        // Base64 ends in signs that some parsers of cookies stumble over.
        encodeURIComponent(cipher.encrypt({ ...state, expiresAt: Date.now() + LIFETIME_SECONDS * 1000 })),
        LIFETIME_SECONDS,
      ),
    /** The `Set-Cookie` that ends it. */
    cleared: header("", 0),
    /** What it says, or null where there is none, or one that is not ours, or too old. */
    read({ headers }: Request): State | null {
      const value = cookieFrom(headers, NAME);
      if (!value) return null;
      try {
        const state = State.parse(cipher.decrypt(decodeURIComponent(value)));
        return state.expiresAt > Date.now() ? state : null;
      } catch {
        return null;
      }
    },
  };
}
