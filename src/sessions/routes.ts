import type { App } from "../context.ts";
import { endpoint, reply } from "../http/endpoint.ts";
import { ApiError, emailNotVerified, invalidCredentials, invalidRefreshToken } from "../http/errors.ts";
import { clearedRefreshCookie, refreshCookie, refreshTokenFrom } from "./cookie.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { refresh } from "./refresh.ts";
import { AccessTokenAnswer, LoginBody } from "./schemas.ts";
import type { Session } from "./start.ts";

export const sessionEndpoints = [
  endpoint(
    {
      operationId: "login",
      method: "post",
      path: "/api/auth/login",
      tag: "sessions",
      summary: "Sign in",
      description: "Sets the refresh cookie. A session that the browser already had is ended.",
      access: "public",
      throttled: true,
      refreshCookie: "optional",
      body: LoginBody,
      example: { email: "ada@example.com", password: "wide blue yonder" },
      answers: { 200: { description: "Signed in", schema: AccessTokenAnswer, setsCookie: true } },
      refusals: [invalidCredentials, emailNotVerified],
    },
    async (call, { body }, request) => {
      const session = await login(call, { ...body, cookie: refreshTokenFrom(request) });
      return signedIn(call.app, session);
    },
  ),

  endpoint(
    {
      operationId: "refresh",
      method: "post",
      path: "/api/auth/refresh",
      tag: "sessions",
      summary: "Continue a session",
      description:
        "Replaces the refresh cookie. Presented again within 30 seconds, the replaced one gets an access token and no cookie; later it counts as stolen and every session of the user ends.",
      access: "public",
      refreshCookie: "required",
      answers: { 200: { description: "Continued", schema: AccessTokenAnswer, setsCookie: true } },
      refusals: [invalidRefreshToken],
    },
    async (call, _input, request) => {
      try {
        const session = await refresh(call, refreshTokenFrom(request));
        return signedIn(call.app, session);
      } catch (error) {
        if (error instanceof ApiError && error.code === invalidRefreshToken.code) {
          error.extra.headers = clearedRefreshCookie(call.app.config.production);
        }
        throw error;
      }
    },
  ),

  endpoint(
    {
      operationId: "logout",
      method: "post",
      path: "/api/auth/logout",
      tag: "sessions",
      summary: "Sign out",
      access: "signed-in",
      refreshCookie: "optional",
      answers: { 204: { description: "Signed out", setsCookie: true } },
    },
    async (call, _input, request) => {
      await logout(call, refreshTokenFrom(request));
      return reply(204, undefined, clearedRefreshCookie(call.app.config.production));
    },
  ),
];

/** The answer that hands out a session. */
function signedIn(app: App, session: Session) {
  const accessToken = app.accessTokens.sign({
    sub: session.userId,
    sid: session.sessionId,
    isPlatformAdmin: session.isPlatformAdmin,
    organization: null,
    roles: [],
    permissions: [],
    unitGrants: [],
  });
  const cookie =
    session.refreshToken === null
      ? {}
      : refreshCookie(session.refreshToken, {
          maxAgeSeconds: app.config.refreshTokenDays * 24 * 3600,
          secure: app.config.production,
        });
  return reply(200, { accessToken }, cookie);
}
