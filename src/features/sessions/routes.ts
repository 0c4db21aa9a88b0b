import { empty, json, jsonBody, Router, route } from "#kit";
import { AccessTokenClaims } from "../../core/access/claims.ts";
import { reauthenticationRequired, secondFactorRequired } from "../../core/access/errors.ts";
import { ssoRequired } from "../../core/access/sign-on-errors.ts";
import { botCheckRequired } from "../../core/accounts/outside-checks.ts";
import { clearedRefreshCookie, refreshTokenFrom } from "./cookie.ts";
import {
  emailNotVerified,
  invalidCredentials,
  invalidRefreshToken,
  notAMember,
  organizationSuspended,
  platformAdminNoSwitch,
} from "./errors.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { refresh } from "./refresh.ts";
import { AccessTokenResponse, LoginBody, LoginResponse, SwitchBody } from "./schemas.ts";
import { isChallenge } from "./sign-in.ts";
import { REFRESH_GRACE_SECONDS } from "./start.ts";
import { switchOrganization } from "./switch.ts";
import { signedIn } from "./token-response.ts";

const loginRoute = route({
  operationId: "login",
  method: "post",
  path: "/api/auth/login",
  summary: "Sign in",
  description:
    "Sets the refresh cookie and ends the session that the browser had before. If two-factor authentication is on, the response is a challenge without a cookie; `POST /api/auth/2fa/verify` completes the sign-in within 5 minutes.",
  access: "public",
  throttle: { failuresPerIp: true },
  connections: "sign-in",
  request: { body: jsonBody(LoginBody, { email: "ada@example.com", password: "wide blue yonder" }) },
  responses: {
    200: json(LoginResponse, "An access token, or a challenge for the second factor", { setsCookie: true }),
  },
  schemas: { AccessTokenClaims },
  errors: [invalidCredentials, emailNotVerified, botCheckRequired],
  refreshCookie: "optional",
});

const refreshRoute = route({
  operationId: "refresh",
  method: "post",
  path: "/api/auth/refresh",
  summary: "Refresh the session",
  description: `Replaces the refresh cookie. If the replaced cookie is sent again within ${REFRESH_GRACE_SECONDS} seconds, the response has an access token but no new cookie. After that it is treated as stolen: all sessions of the user end.`,
  access: "public",
  connections: "sign-in",
  responses: { 200: json(AccessTokenResponse, "A new access token", { setsCookie: true }) },
  errors: [invalidRefreshToken],
  refreshCookie: "required",
  clearsCookieOn: [401],
});

const logoutRoute = route({
  operationId: "logout",
  method: "post",
  path: "/api/auth/logout",
  summary: "Sign out",
  access: "signed-in",
  worksConfined: true,
  worksBeforeTwoFactor: true,
  responses: { 204: empty("The session ended", { setsCookie: true }) },
  refreshCookie: "optional",
});

const switchOrganizationRoute = route({
  operationId: "switchOrganization",
  method: "post",
  path: "/api/auth/organization",
  summary: "Switch organization",
  description: "Replaces the refresh cookie. Later sign-ins start in this organization.",
  access: "signed-in",
  worksConfined: true,
  refusesPlatformAdmins: platformAdminNoSwitch,
  connections: "sign-in",
  request: { body: jsonBody(SwitchBody, { organizationId: "0190c7a0-0000-7000-8000-000000000001" }) },
  responses: { 200: json(AccessTokenResponse, "An access token for the organization", { setsCookie: true }) },
  errors: [
    invalidRefreshToken,
    notAMember,
    organizationSuspended,
    ssoRequired,
    secondFactorRequired,
    reauthenticationRequired,
  ],
  refreshCookie: "required",
});

export const sessionRoutes = new Router("sessions")
  .openapi(loginRoute, async (c) => {
    const outcome = await login(c.var.call, { ...c.req.valid("json"), cookie: refreshTokenFrom(c.req.raw) });
    if (isChallenge(outcome)) return c.json({ twoFactorRequired: true as const, ...outcome }, 200);
    return signedIn(c, outcome);
  })
  .openapi(refreshRoute, async (c) =>
    signedIn(c, await refresh(c.var.call, refreshTokenFrom(c.req.raw), c.req.raw)),
  )
  .openapi(logoutRoute, async (c) => {
    await logout(c.var.call, refreshTokenFrom(c.req.raw));
    return c.body(null, 204, clearedRefreshCookie(c.var.call.app.config.production));
  })
  .openapi(switchOrganizationRoute, async (c) => {
    const session = await switchOrganization(
      c.var.call,
      c.req.valid("json").organizationId,
      refreshTokenFrom(c.req.raw),
    );
    return signedIn(c, session);
  });
