import { z } from "zod";
import { type Config, createCipher } from "#kit";
import { cookieFrom } from "../../platform/http/headers.ts";

const NAME = "oidc_state";
const LIFETIME_SECONDS = 10 * 60;

/** The data that a callback must match: the provider, the purpose, and the secrets of this authorization. */
const State = z.object({
  provider: z.string(),
  purpose: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("sign-in") }),
    z.object({ kind: z.literal("link"), userId: z.guid() }),
    z.object({ kind: z.literal("reauthenticate"), userId: z.guid(), sessionId: z.guid() }),
  ]),
  secrets: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
  /** The expiry as a time in milliseconds. The server checks it, because browsers need not respect Max-Age. */
  expiresAt: z.number(),
});
export type State = z.output<typeof State>;
export type Purpose = State["purpose"];

/**
 * Returns the cookie that binds a callback to the browser that started the sign-in. The cookie is encrypted and not
 * only signed, because nobody outside of the service needs the nonce and the verifier.
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
    /** Returns the `Set-Cookie` header that stores the state cookie for ten minutes. */
    set: (state: Omit<State, "expiresAt">) =>
      header(
        // The base64 is percent-encoded, because some cookie parsers do not accept its padding.
        encodeURIComponent(cipher.encrypt({ ...state, expiresAt: Date.now() + LIFETIME_SECONDS * 1000 })),
        LIFETIME_SECONDS,
      ),
    /** Returns the `Set-Cookie` header that deletes the state cookie. */
    cleared: header("", 0),
    /** Returns the content of the state cookie; null if it is missing, forged or expired. */
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
