import { endpoint, reply } from "../../core/api/endpoint.ts";
import {
  challengeOver,
  conflict,
  tooManyRequests,
  twoFactorAlreadyEnabled,
  twoFactorNotEnabled,
  wrongCode,
  wrongPassword,
  wrongSignInCode,
} from "../../platform/errors.ts";
import { refreshTokenFrom } from "../sessions/cookie.ts";
import { AccessTokenAnswer } from "../sessions/schemas.ts";
import { signedIn } from "../sessions/token-response.ts";
import {
  CodeBody,
  DisableBody,
  OfferedSecret,
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
import { verifySignIn } from "./verify.ts";

const LIMITED =
  "Ten confirmations by password or code in 15 minutes, right or wrong, over the whole profile, are the most.";

export const twoFactorEndpoints = [
  endpoint(
    {
      operationId: "verifyTwoFactor",
      method: "post",
      path: "/api/auth/2fa/verify",
      tag: "two-factor",
      summary: "Complete a sign-in by its second factor",
      description:
        "Takes the challenge of a sign-in, within 5 minutes, and a code of the authenticator app or a recovery code; each works once. After ten wrong codes in 15 minutes, over all challenges of the account, none is looked at.",
      access: "public",
      throttled: true,
      refreshCookie: "optional",
      body: VerifyBody,
      example: { challengeToken: "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E", code: "123456" },
      answers: { 200: { description: "Signed in", schema: AccessTokenAnswer, setsCookie: true } },
      refusals: [challengeOver, wrongSignInCode, tooManyRequests],
    },
    async (call, { body }, request) =>
      signedIn(call.app, await verifySignIn(call, body, refreshTokenFrom(request))),
  ),

  endpoint(
    {
      operationId: "getTwoFactor",
      method: "get",
      path: "/api/profile/2fa",
      tag: "two-factor",
      summary: "See whether two-factor authentication is on",
      access: "signed-in",
      answers: { 200: { description: "As it is", schema: TwoFactor } },
    },
    async (call) => reply(200, await getTwoFactor(call)),
  ),

  endpoint(
    {
      operationId: "setUpTwoFactor",
      method: "post",
      path: "/api/profile/2fa/setup",
      tag: "two-factor",
      summary: "Get a secret for the authenticator app",
      description: `The password is required if the account has one. A secret that was not confirmed yet is replaced, and ends with the password that it was asked for by. ${LIMITED}`,
      access: "signed-in",
      body: PasswordBody,
      example: { password: "wide blue yonder" },
      answers: { 200: { description: "To be confirmed by a code", schema: OfferedSecret } },
      refusals: [wrongPassword, twoFactorAlreadyEnabled, tooManyRequests],
    },
    async (call, { body }) => reply(200, await setUpTwoFactor(call, body)),
  ),

  endpoint(
    {
      operationId: "enableTwoFactor",
      method: "post",
      path: "/api/profile/2fa/enable",
      tag: "two-factor",
      summary: "Turn two-factor authentication on",
      description: `By the first code that the authenticator app shows. The recovery codes are shown this once. ${LIMITED}`,
      access: "signed-in",
      body: CodeBody,
      example: { code: "123456" },
      answers: { 200: { description: "It is on", schema: RecoveryCodes } },
      refusals: [wrongCode, conflict, twoFactorAlreadyEnabled, tooManyRequests],
    },
    async (call, { body }) => reply(200, await enableTwoFactor(call, body)),
  ),

  endpoint(
    {
      operationId: "disableTwoFactor",
      method: "post",
      path: "/api/profile/2fa/disable",
      tag: "two-factor",
      summary: "Turn two-factor authentication off",
      description: `By a code of the authenticator app or a recovery code, and by the password if the account has one. ${LIMITED}`,
      access: "signed-in",
      body: DisableBody,
      example: { password: "wide blue yonder", code: "123456" },
      answers: { 204: { description: "It is off" } },
      refusals: [wrongPassword, wrongCode, twoFactorNotEnabled, tooManyRequests],
    },
    async (call, { body }) => {
      await disableTwoFactor(call, body);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "regenerateRecoveryCodes",
      method: "post",
      path: "/api/profile/2fa/recovery-codes",
      tag: "two-factor",
      summary: "Make new recovery codes",
      description: `The old ones are dead, and these are shown this once. ${LIMITED}`,
      access: "signed-in",
      body: CodeBody,
      example: { code: "123456" },
      answers: { 200: { description: "The new ones", schema: RecoveryCodes } },
      refusals: [wrongCode, twoFactorNotEnabled, tooManyRequests],
    },
    async (call, { body }) => reply(200, await regenerateRecoveryCodes(call, body)),
  ),
];
