import { z } from "zod";
import type { App, SignedInCall } from "#kit";
import { readSignedToken, signToken } from "#kit/inside";
import { Client } from "../schemas.ts";

/*
 * What the page showed to a person comes back with the decision in a signed token, so that an approval is about exactly that,
 * and a request needs no row (rules 46.5). Its id is stored with the grant, so that it is approved once.
 */

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

const kindOf = ({ config }: App) => ({ issuer: config.apiUrl, audience: "oauth-request" });

/** Creates the token of a request for this person and session. */
export async function issueRequestToken({ app, actor }: SignedInCall, shown: Shown) {
  const expiresAt = new Date(Math.floor((Date.now() + LIFETIME_MS) / 1000) * 1000);
  const { userId: sub, sessionId: sid } = actor;
  const claims = { jti: crypto.randomUUID(), sub, sid, shown: Shown.parse(shown) };
  return { requestToken: await signToken(app, kindOf(app), claims, expiresAt), expiresAt };
}

/** Returns the request that was shown to this person in this session, with its id; null for any other token. */
export async function readRequestToken(
  { app, actor }: SignedInCall,
  token: string,
): Promise<(Shown & { requestId: string }) | null> {
  const { data } = Claims.safeParse(await readSignedToken(app, kindOf(app), token));
  const isOfCaller = data?.sub === actor.userId && data.sid === actor.sessionId;
  return isOfCaller ? { ...data.shown, requestId: data.jti } : null;
}
