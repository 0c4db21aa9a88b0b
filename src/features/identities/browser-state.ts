import { z } from "zod";
import type { Config } from "#kit";
import { createCipher } from "#kit/inside";
import { cookieFrom } from "../../platform/http/headers.ts";

const LIFETIME_SECONDS = 10 * 60;

/** The secrets of one authorization at a provider, which a callback must match. */
export const authorizationSecrets = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });

type Keys = Pick<Config, "jwtSecret" | "jwtSecretPrevious" | "production">;

/**
 * Returns a cookie that binds a callback to the browser that started the sign-in. The cookie is encrypted and not
 * only signed, because nobody outside of the service needs the nonce and the verifier.
 * @param purpose separates the key of this cookie from those of others
 */
export function browserState<State extends object>(
  {
    name,
    path,
    purpose,
    content,
  }: { name: string; path: string; purpose: string; content: z.ZodType<State> },
  { jwtSecret, jwtSecretPrevious, production }: Keys,
) {
  const cipher = createCipher(jwtSecret, purpose, jwtSecretPrevious);
  const header = (value: string, maxAgeSeconds: number) =>
    `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${production ? "; Secure" : ""}`;
  // The server checks the expiry, a time in milliseconds, because browsers need not respect Max-Age.
  const stored = z.object({ expiresAt: z.number() });
  return {
    /** Returns the `Set-Cookie` header that stores the state cookie for ten minutes. */
    set: (state: State) =>
      header(
        // The base64 is percent-encoded, because some cookie parsers do not accept its padding.
        encodeURIComponent(cipher.encrypt({ ...state, expiresAt: Date.now() + LIFETIME_SECONDS * 1000 })),
        LIFETIME_SECONDS,
      ),
    /** The `Set-Cookie` header that deletes the state cookie. */
    cleared: header("", 0),
    /** Returns the content of the state cookie; null if it is missing, forged or expired. */
    read({ headers }: Request): State | null {
      const value = cookieFrom(headers, name);
      if (!value) return null;
      try {
        const opened = cipher.decrypt(decodeURIComponent(value));
        return stored.parse(opened).expiresAt > Date.now() ? content.parse(opened) : null;
      } catch {
        return null;
      }
    },
  };
}
