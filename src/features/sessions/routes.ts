import { endpoint, reply } from "../../core/api/endpoint.ts";
import {
  ApiError,
  emailNotVerified,
  invalidCredentials,
  invalidRefreshToken,
  notAMember,
  organizationSuspended,
  platformAdminNoSwitch,
} from "../../platform/errors.ts";
import { clearedRefreshCookie, refreshTokenFrom } from "./cookie.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { refresh } from "./refresh.ts";
import { AccessTokenAnswer, LoginAnswer, LoginBody, SwitchBody } from "./schemas.ts";
import { isChallenge } from "./sign-in.ts";
import { switchOrganization } from "./switch.ts";
import { signedIn } from "./token-response.ts";

export const sessionEndpoints = [
  endpoint(
    {
      operationId: "login",
      method: "post",
      path: "/api/auth/login",
      tag: "sessions",
      summary: "Sign in",
      description:
        "Sets the refresh cookie. A session that the browser already had is ended. Where two-factor authentication is on, the answer is a challenge instead, and no cookie: `POST /api/auth/2fa/verify` completes it within 5 minutes.",
      access: "public",
      throttled: true,
      refreshCookie: "optional",
      body: LoginBody,
      example: { email: "ada@example.com", password: "wide blue yonder" },
      answers: {
        200: { description: "Signed in, or challenged for a code", schema: LoginAnswer, setsCookie: true },
      },
      refusals: [invalidCredentials, emailNotVerified],
    },
    async (call, { body }, request) => {
      const outcome = await login(call, { ...body, cookie: refreshTokenFrom(request) });
      if (isChallenge(outcome))
        return reply(200, { twoFactorRequired: true as const, challengeToken: outcome.challengeToken });
      return signedIn(call.app, outcome);
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
      clearsCookieOn: [401],
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

  endpoint(
    {
      operationId: "switchOrganization",
      method: "post",
      path: "/api/auth/organization",
      tag: "sessions",
      summary: "Go on in another of one's organizations",
      description: "Replaces the refresh cookie; later sign-ins begin in this organization.",
      access: "signed-in",
      refusesPlatformAdmins: platformAdminNoSwitch,
      refreshCookie: "required",
      body: SwitchBody,
      example: { organizationId: "0190c7a0-0000-7000-8000-000000000001" },
      answers: { 200: { description: "Switched", schema: AccessTokenAnswer, setsCookie: true } },
      refusals: [invalidRefreshToken, notAMember, organizationSuspended],
    },
    async (call, { body }, request) => {
      const session = await switchOrganization(call, body.organizationId, refreshTokenFrom(request));
      return signedIn(call.app, session);
    },
  ),
];
