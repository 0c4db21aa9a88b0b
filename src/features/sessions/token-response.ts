import { reply } from "../../core/api/endpoint.ts";
import type { App } from "../../core/context.ts";
import { refreshCookie } from "./cookie.ts";
import type { Session } from "./start.ts";

/** The JSON answer that hands out a session. */
export const signedIn = (app: App, session: Session) =>
  reply(200, { accessToken: accessTokenOf(app, session) }, cookieOf(app, session));

/** The access token of a session that was started or continued. */
export const accessTokenOf = (app: App, session: Session): string =>
  app.accessTokens.sign({
    sub: session.userId,
    sid: session.sessionId,
    isPlatformAdmin: session.isPlatformAdmin,
    ...session.home,
  });

/** The header that sets its refresh cookie; none where the answer must carry no cookie. */
export const cookieOf = (app: App, { refreshToken }: Session): Record<string, string> =>
  refreshToken === null
    ? {}
    : refreshCookie(refreshToken, {
        maxAgeSeconds: app.config.refreshTokenDays * 24 * 3600,
        secure: app.config.production,
      });
