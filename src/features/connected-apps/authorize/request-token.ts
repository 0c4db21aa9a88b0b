import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { type App, memoizePerApp, type SignedInCall } from "#kit";
import { Client } from "../schemas.ts";

/*
 * What the page showed to a person comes back with the decision in a signed token, so that an approval is about exactly that,
 * and a request needs no row (rules 46.5). Its id is stored with the grant, so that it is approved once.
 */

const AUDIENCE = "oauth-request";
const LIFETIME_MS = 10 * 60_000;

const Shown = z.object({
  client: Client.extend({ oauthClientId: z.guid().nullable(), organizationId: z.guid().nullable() }),
  redirectUri: z.string(),
  codeChallenge: z.string(),
  state: z.string().nullable(),
  resource: z.enum(["mcp", "api"]),
  scopes: z.array(z.string()),
});
/** A request as it was shown: the app, and the access that it asked for. */
export type Shown = z.output<typeof Shown>;
const Claims = z.object({ jti: z.guid(), sub: z.string(), sid: z.string(), shown: Shown });

const keysOf = memoizePerApp(({ config: { jwtSecret, jwtSecretPrevious } }: App) =>
  [jwtSecret, jwtSecretPrevious].flatMap((secret) =>
    secret === null ? [] : [new TextEncoder().encode(secret)],
  ),
);

/** Creates the token of a request for this person and session. */
export async function issueRequestToken({ app, actor }: SignedInCall, shown: Shown) {
  const [key] = keysOf(app);
  const expiresAt = new Date(Math.floor((Date.now() + LIFETIME_MS) / 1000) * 1000);
  const requestToken = await new SignJWT({ sid: actor.sessionId, shown: Shown.parse(shown) })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(app.config.apiUrl)
    .setAudience(AUDIENCE)
    .setSubject(actor.userId)
    .setJti(crypto.randomUUID())
    .setIssuedAt()
    .setExpirationTime(expiresAt)
    .sign(key ?? new Uint8Array());
  return { requestToken, expiresAt };
}

/** Returns the request that was shown to this person in this session, with its id; null for any other token. */
export async function readRequestToken(
  { app, actor }: SignedInCall,
  token: string,
): Promise<(Shown & { requestId: string }) | null> {
  for (const key of keysOf(app)) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: ["HS256"],
        issuer: app.config.apiUrl,
        audience: AUDIENCE,
        requiredClaims: ["iat", "exp"],
      });
      const { success, data } = Claims.safeParse(payload);
      const isOfCaller = success && data.sub === actor.userId && data.sid === actor.sessionId;
      return isOfCaller ? { ...data.shown, requestId: data.jti } : null;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return null;
    }
  }
  return null;
}
