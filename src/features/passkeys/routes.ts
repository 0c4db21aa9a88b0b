import { type Config, conflict, empty, json, jsonBody, noContent, notFound, Router, route } from "#kit";
import { invalidPasskey } from "../../core/accounts/errors.ts";
import { refreshTokenFrom } from "../sessions/cookie.ts";
import { AccessTokenResponse } from "../sessions/schemas.ts";
import { signedIn } from "../sessions/token-response.ts";
import { challengeExpired } from "../two-factor/errors.ts";
import { invalidPasskeyAtSignIn, passkeyExists } from "./errors.ts";
import { listPasskeys, removePasskey, renamePasskey } from "./manage.ts";
import { addPasskey, beginRegistration } from "./register.ts";
import {
  AddedPasskey,
  AddPasskeyBody,
  Passkey,
  PasskeyPath,
  PasskeySignInBody,
  Passkeys,
  RegistrationOptions,
  RenamePasskeyBody,
  SignInOptions,
} from "./schemas.ts";
import { beginPasskeySignIn, signInWithPasskey } from "./sign-in.ts";

const signsIn = ({ passkeys }: Config) => passkeys.mode === "on";
const exists = ({ passkeys }: Config) => passkeys.mode !== "off";
const CREDENTIALS = { classes: ["credentials"] } as const;

/**
 * The rate limit of challenges for one IP address, as a multiple of the general limit. It is high because the
 * sign-in page requests a challenge whenever it loads (WebAuthn conditional UI).
 */
const OPTIONS_PER_IP = 12;
/**
 * The rate limit of failed passkey sign-ins for one IP address, as a multiple of the general limit. It may be high,
 * because a signature cannot be guessed.
 */
const SIGN_INS_PER_IP = 6;

const ASSERTION = {
  id: "c2xlZXB5LWNyZWRlbnRpYWw",
  rawId: "c2xlZXB5LWNyZWRlbnRpYWw",
  type: "public-key",
  response: { clientDataJSON: "e30", authenticatorData: "AAAA", signature: "AAAA" },
};
const CHALLENGE_TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJwdXJwb3NlIjoic2lnbi1pbiJ9.c2lnbmF0dXJl";

const beginSignInRoute = route({
  operationId: "beginPasskeySignIn",
  method: "post",
  path: "/api/auth/passkey/options",
  summary: "Begin a sign-in with a passkey",
  description: "The options are valid for five minutes, and for every account.",
  access: "public",
  throttle: { perIp: OPTIONS_PER_IP },
  existsIf: signsIn,
  responses: { 200: json(SignInOptions, "The challenge, and the options of the browser") },
});

const signInRoute = route({
  operationId: "signInWithPasskey",
  method: "post",
  path: "/api/auth/passkey/verify",
  summary: "Sign in with a passkey",
  description:
    "Sets the refresh cookie. User verification counts as the second factor, so no challenge follows, even if two-factor authentication is on. Every fault of the passkey's `response` returns the same error.",
  access: "public",
  throttle: { failuresPerIp: SIGN_INS_PER_IP },
  connections: "sign-in",
  existsIf: signsIn,
  request: {
    body: jsonBody(PasskeySignInBody, { challengeToken: CHALLENGE_TOKEN, response: ASSERTION }),
  },
  responses: { 200: json(AccessTokenResponse, "An access token", { setsCookie: true }) },
  errors: [invalidPasskeyAtSignIn, challengeExpired],
  refreshCookie: "optional",
});

const listPasskeysRoute = route({
  operationId: "listPasskeys",
  method: "get",
  path: "/api/profile/passkeys",
  summary: "List your passkeys",
  access: "signed-in",
  worksBeforeTwoFactor: true,
  existsIf: exists,
  responses: { 200: json(Passkeys, "The passkeys, oldest first") },
});

const beginRegistrationRoute = route({
  operationId: "beginPasskeyRegistration",
  method: "post",
  path: "/api/profile/passkeys/options",
  summary: "Begin to add a passkey",
  description: "An account has at most 20.",
  access: "signed-in",
  reauthentication: CREDENTIALS,
  worksBeforeTwoFactor: true,
  existsIf: exists,
  responses: { 200: json(RegistrationOptions, "The challenge, and the options of the browser") },
  errors: [conflict],
});

const addPasskeyRoute = route({
  operationId: "addPasskey",
  method: "post",
  path: "/api/profile/passkeys",
  summary: "Add a passkey",
  description:
    "Adding a passkey does not turn two-factor authentication on, unless the service requires it: then the response has the recovery codes, your other sessions end, and you refresh the access token.",
  access: "signed-in",
  reauthentication: CREDENTIALS,
  worksBeforeTwoFactor: true,
  existsIf: exists,
  request: {
    body: jsonBody(AddPasskeyBody, {
      challengeToken: CHALLENGE_TOKEN,
      response: { ...ASSERTION, response: { clientDataJSON: "e30", attestationObject: "AAAA" } },
    }),
  },
  responses: { 201: json(AddedPasskey, "The new passkey") },
  errors: [invalidPasskey, passkeyExists, conflict],
});

const renamePasskeyRoute = route({
  operationId: "renamePasskey",
  method: "patch",
  path: "/api/profile/passkeys/{id}",
  summary: "Rename a passkey",
  access: "signed-in",
  reauthentication: CREDENTIALS,
  existsIf: exists,
  request: { params: PasskeyPath, body: jsonBody(RenamePasskeyBody, { name: "Laptop" }) },
  responses: { 200: json(Passkey, "The passkey") },
  errors: [notFound],
});

const removePasskeyRoute = route({
  operationId: "removePasskey",
  method: "delete",
  path: "/api/profile/passkeys/{id}",
  summary: "Remove a passkey",
  description:
    "409 `CONFLICT` for the last way to sign in, and for the last passkey while two-factor authentication is on without an authenticator app.",
  access: "signed-in",
  reauthentication: CREDENTIALS,
  existsIf: exists,
  request: { params: PasskeyPath },
  responses: { 204: empty("The passkey is removed") },
  errors: [notFound, conflict],
});

export const passkeyRoutes = new Router("passkeys")
  .openapi(beginSignInRoute, async (c) => c.json(await beginPasskeySignIn(c.var.call), 200))
  .openapi(signInRoute, async (c) =>
    signedIn(c, await signInWithPasskey(c.var.call, c.req.valid("json"), refreshTokenFrom(c.req.raw))),
  )
  .openapi(listPasskeysRoute, async (c) => c.json(await listPasskeys(c.var.call), 200))
  .openapi(beginRegistrationRoute, async (c) => c.json(await beginRegistration(c.var.call), 200))
  .openapi(addPasskeyRoute, async (c) => c.json(await addPasskey(c.var.call, c.req.valid("json")), 201))
  .openapi(renamePasskeyRoute, async (c) =>
    c.json(await renamePasskey(c.var.call, c.req.valid("param").id, c.req.valid("json")), 200),
  )
  .openapi(removePasskeyRoute, (c) => noContent(c, removePasskey(c.var.call, c.req.valid("param").id)));
