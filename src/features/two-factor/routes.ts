import { conflict, empty, json, jsonBody, noContent, Router, route, tooManyRequests } from "#kit";
import { CONFIRMATION_LIMIT_DESCRIPTION } from "../../core/accounts/attempts.ts";
import { invalidPasskey, twoFactorNotEnabled, wrongCode, wrongPassword } from "../../core/accounts/errors.ts";
import { refreshTokenFrom } from "../sessions/cookie.ts";
import { AccessTokenResponse } from "../sessions/schemas.ts";
import { signedIn } from "../sessions/token-response.ts";
import { challengeExpired, twoFactorAlreadyEnabled, wrongSignInCode, wrongSignInPasskey } from "./errors.ts";
import {
  CodeBody,
  DisableBody,
  EnableBody,
  OfferedSecret,
  PasskeyChallengeBody,
  PasskeyChallengeOptions,
  PasswordBody,
  RecoveryCodes,
  TwoFactor,
  VerifyBody,
} from "./schemas.ts";
import {
  disableTwoFactor,
  enableTwoFactor,
  getTwoFactor,
  regenerateRecoveryCodes,
  setUpTwoFactor,
} from "./settings.ts";
import { beginSecondPasskey, verifySignIn } from "./verify.ts";

const verifyTwoFactorRoute = route({
  operationId: "verifyTwoFactor",
  method: "post",
  path: "/api/auth/2fa/verify",
  summary: "Complete a sign-in with the second factor",
  description:
    "Requires the challenge of a sign-in, at most 5 minutes old, and a code of the authenticator app, a recovery code or a passkey. Each code works once. After ten wrong codes of the account in 15 minutes, 20 in two hours or 40 in 24 hours, over all challenges, further codes are rejected without a check (429).",
  access: "public",
  throttle: { failuresPerIp: true },
  connections: "sign-in",
  request: {
    body: jsonBody(VerifyBody, {
      challengeToken: "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E",
      code: "123456",
    }),
  },
  responses: { 200: json(AccessTokenResponse, "An access token", { setsCookie: true }) },
  errors: [challengeExpired, wrongSignInCode, wrongSignInPasskey, tooManyRequests],
  refreshCookie: "optional",
});

const passkeyOptionsRoute = route({
  operationId: "beginTwoFactorPasskey",
  method: "post",
  path: "/api/auth/2fa/passkey/options",
  summary: "Begin the second factor with a passkey",
  description: "Returns the same challenge each time; it expires with the sign-in.",
  access: "public",
  throttle: { failuresPerIp: true },
  existsIf: ({ passkeys }) => passkeys.mode !== "off",
  request: {
    body: jsonBody(PasskeyChallengeBody, { challengeToken: "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E" }),
  },
  responses: { 200: json(PasskeyChallengeOptions, "The options of the browser") },
  errors: [challengeExpired, conflict],
});

const getTwoFactorRoute = route({
  operationId: "getTwoFactor",
  method: "get",
  path: "/api/profile/2fa",
  summary: "Get the two-factor status",
  access: "signed-in",
  worksConfined: true,
  worksBeforeTwoFactor: true,
  responses: { 200: json(TwoFactor, "The state of two-factor authentication") },
});

const setUpTwoFactorRoute = route({
  operationId: "setUpTwoFactor",
  method: "post",
  path: "/api/profile/2fa/setup",
  summary: "Start two-factor setup",
  description: `The password is required if the account has one; without one, a proof of identity within the last 10 minutes. Replaces an unconfirmed secret. A password change also discards an unconfirmed secret. ${CONFIRMATION_LIMIT_DESCRIPTION}`,
  access: "signed-in",
  reauthentication: { classes: ["account"], takesPassword: true },
  worksBeforeTwoFactor: true,
  request: { body: jsonBody(PasswordBody, { password: "wide blue yonder" }) },
  responses: {
    200: json(OfferedSecret, "The new secret; confirm it by enabling two-factor authentication with a code"),
  },
  errors: [wrongPassword, twoFactorAlreadyEnabled, tooManyRequests],
});

const enableTwoFactorRoute = route({
  operationId: "enableTwoFactor",
  method: "post",
  path: "/api/profile/2fa/enable",
  summary: "Enable two-factor authentication",
  description: `Requires a code of the authenticator app, or a passkey with the challenge of \`POST /api/profile/reauthenticate/options\`. The recovery codes are shown only once. If the service requires a second factor, your other sessions end; refresh the access token of this one. ${CONFIRMATION_LIMIT_DESCRIPTION}`,
  access: "signed-in",
  worksBeforeTwoFactor: true,
  request: { body: jsonBody(EnableBody, { code: "123456" }) },
  responses: { 200: json(RecoveryCodes, "The recovery codes") },
  errors: [wrongCode, invalidPasskey, conflict, twoFactorAlreadyEnabled, tooManyRequests],
});

const disableTwoFactorRoute = route({
  operationId: "disableTwoFactor",
  method: "post",
  path: "/api/profile/2fa/disable",
  summary: "Disable two-factor authentication",
  description: `Requires a code of the authenticator app or a recovery code, and the password if the account has one; or a passkey. Returns 409 \`CONFLICT\` if the service requires a second factor of the account. ${CONFIRMATION_LIMIT_DESCRIPTION}`,
  access: "signed-in",
  request: { body: jsonBody(DisableBody, { password: "wide blue yonder", code: "123456" }) },
  responses: { 204: empty("Two-factor authentication is off") },
  errors: [wrongPassword, wrongCode, invalidPasskey, conflict, twoFactorNotEnabled, tooManyRequests],
});

const regenerateRecoveryCodesRoute = route({
  operationId: "regenerateRecoveryCodes",
  method: "post",
  path: "/api/profile/2fa/recovery-codes",
  summary: "Replace the recovery codes",
  description: `Invalidates the old codes. The new ones are shown only once. ${CONFIRMATION_LIMIT_DESCRIPTION}`,
  access: "signed-in",
  request: { body: jsonBody(CodeBody, { code: "123456" }) },
  responses: { 200: json(RecoveryCodes, "The new recovery codes") },
  errors: [wrongCode, twoFactorNotEnabled, tooManyRequests],
});

export const twoFactorRoutes = new Router("two-factor")
  .openapi(verifyTwoFactorRoute, async (c) =>
    signedIn(c, await verifySignIn(c.var.call, c.req.valid("json"), refreshTokenFrom(c.req.raw))),
  )
  .openapi(passkeyOptionsRoute, async (c) =>
    c.json({ options: await beginSecondPasskey(c.var.call, c.req.valid("json").challengeToken) }, 200),
  )
  .openapi(getTwoFactorRoute, async (c) => c.json(await getTwoFactor(c.var.call), 200))
  .openapi(setUpTwoFactorRoute, async (c) =>
    c.json(await setUpTwoFactor(c.var.call, c.req.valid("json")), 200),
  )
  .openapi(enableTwoFactorRoute, async (c) =>
    c.json(await enableTwoFactor(c.var.call, c.req.valid("json")), 200),
  )
  .openapi(disableTwoFactorRoute, (c) => noContent(c, disableTwoFactor(c.var.call, c.req.valid("json"))))
  .openapi(regenerateRecoveryCodesRoute, async (c) =>
    c.json(await regenerateRecoveryCodes(c.var.call, c.req.valid("json")), 200),
  );
