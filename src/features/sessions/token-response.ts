import type { Context } from "hono";
import type { App, Call, RouterEnv } from "#kit";
import { NO_ACTIVE_ORGANIZATION } from "../../core/access/active-organization.ts";
import { isTwoFactorRequired } from "../../core/access/proofs.ts";
import { recordUse } from "../sign-on-policy/break-glass.ts";
import { refreshCookie } from "./cookie.ts";
import type { Session } from "./start.ts";

type CallContext = Context<{
  Bindings: RouterEnv["Bindings"];
  Variables: RouterEnv["Variables"] & { call: Call };
}>;

/** Returns the JSON response with the tokens of a session. */
export const signedIn = async (c: Pick<CallContext, "json" | "get">, session: Session) => {
  const { app } = c.get("request");
  await recordBreakGlass(c.get("call"), session);
  return c.json({ accessToken: await accessTokenOf(app, session) }, 200, cookieOf(app, session));
};

/** Creates the access token of a session that was started or continued. */
export const accessTokenOf = (app: App, session: Session): Promise<string> =>
  app.accessTokens.sign(
    {
      sub: session.userId,
      sid: session.sessionId,
      // No provider of an organization reaches the platform: a session without a proof of the account's own acts nowhere there.
      isPlatformAdmin: session.isPlatformAdmin && !session.proof.confined,
      ...session.proof,
      ...(isTwoFactorRequired(app.config, session) && !session.hasTwoFactor && session.proof.acr === "1"
        ? // The token has no permissions, because they have no effect until the second factor is enabled.
          {
            ...NO_ACTIVE_ORGANIZATION,
            organization: session.activeOrganization.organization,
            mustEnableTwoFactor: true,
          }
        : session.activeOrganization),
    },
    session.endsAt,
  );

/** Records that a break-glass member acts in an organization by own proofs, which the others are told once for each session. */
export async function recordBreakGlass(call: Call, session: Session): Promise<void> {
  const { breaksGlass, userId, sessionId, activeOrganization } = session;
  const organizationId = activeOrganization.organization?.id;
  if (breaksGlass && organizationId !== undefined)
    await recordUse(call, { userId, sessionId, organizationId });
}

/** Returns the header that sets the refresh cookie, or no header if the response must carry no cookie. */
export const cookieOf = (app: App, { refreshToken }: Session): Record<string, string> =>
  refreshToken === null
    ? {}
    : refreshCookie(refreshToken, {
        maxAgeSeconds: app.config.refreshTokenDays * 24 * 3600,
        secure: app.config.production,
      });
