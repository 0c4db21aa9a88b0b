import { AccessTokenClaims } from "../../core/access/claims.ts";
import { empty, json, jsonBody, route } from "../../core/api/route.ts";
import { Router } from "../../core/api/router.ts";
import { clearedRefreshCookie, refreshTokenFrom } from "./cookie.ts";
import {
  emailNotVerified,
  invalidCredentials,
  invalidRefreshToken,
  notAMember,
  organizationSuspended,
  platformAdminNoSwitch,
} from "./errors.ts";
import { REFRESH_GRACE_SECONDS } from "./grace.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { refresh } from "./refresh.ts";
import { AccessTokenResponse, LoginBody, LoginResponse, SwitchBody } from "./schemas.ts";
import { isChallenge } from "./sign-in.ts";
import { switchOrganization } from "./switch.ts";
import { signedIn } from "./token-response.ts";

const loginRoute = route({
  operationId: "login",
  method: "post",
  path: "/api/auth/login",
  tags: ["sessions"],
  summary: "Sign in",
  description:
    "Sets the refresh cookie. A session that the browser already had is ended. Where two-factor authentication is on, the answer is a challenge instead, and no cookie: `POST /api/auth/2fa/verify` completes it within 5 minutes.",
  access: "public",
  throttle: { perIp: true },
  connections: "sign-in",
  request: { body: jsonBody(LoginBody, { email: "ada@example.com", password: "wide blue yonder" }) },
  responses: { 200: json(LoginResponse, "Signed in, or challenged for a code", { setsCookie: true }) },
  schemas: { AccessTokenClaims },
  errors: [invalidCredentials, emailNotVerified],
  refreshCookie: "optional",
});

const refreshRoute = route({
  operationId: "refresh",
  method: "post",
  path: "/api/auth/refresh",
  tags: ["sessions"],
  summary: "Continue a session",
  description: `Replaces the refresh cookie. Presented again within ${REFRESH_GRACE_SECONDS} seconds, the replaced one gets an access token and no cookie; later it counts as stolen and every session of the user ends.`,
  access: "public",
  connections: "sign-in",
  responses: { 200: json(AccessTokenResponse, "Continued", { setsCookie: true }) },
  errors: [invalidRefreshToken],
  refreshCookie: "required",
  clearsCookieOn: [401],
});

const logoutRoute = route({
  operationId: "logout",
  method: "post",
  path: "/api/auth/logout",
  tags: ["sessions"],
  summary: "Sign out",
  access: "signed-in",
  worksBeforeTwoFactor: true,
  responses: { 204: empty("Signed out", { setsCookie: true }) },
  refreshCookie: "optional",
});

const switchOrganizationRoute = route({
  operationId: "switchOrganization",
  method: "post",
  path: "/api/auth/organization",
  tags: ["sessions"],
  summary: "Go on in another of one's organizations",
  description: "Replaces the refresh cookie; later sign-ins begin in this organization.",
  access: "signed-in",
  refusesPlatformAdmins: platformAdminNoSwitch,
  connections: "sign-in",
  request: { body: jsonBody(SwitchBody, { organizationId: "0190c7a0-0000-7000-8000-000000000001" }) },
  responses: { 200: json(AccessTokenResponse, "Switched", { setsCookie: true }) },
  errors: [invalidRefreshToken, notAMember, organizationSuspended],
  refreshCookie: "required",
});

export const sessionRoutes = new Router()
  .openapi(loginRoute, async (c) => {
    const outcome = await login(c.var.call, { ...c.req.valid("json"), cookie: refreshTokenFrom(c.req.raw) });
    if (isChallenge(outcome))
      return c.json({ twoFactorRequired: true as const, challengeToken: outcome.challengeToken }, 200);
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
