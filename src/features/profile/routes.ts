import { conflict, empty, json, jsonBody, noContent, notFound, Router, route, tooManyRequests } from "#kit";
import { cannotReauthenticate, reauthenticationRequired } from "../../core/access/errors.ts";
import { breakGlassRequired } from "../../core/access/sign-on-errors.ts";
import { CONFIRMATION_LIMIT_DESCRIPTION } from "../../core/accounts/attempts.ts";
import { invalidPasskey, lastAdmin, wrongCode, wrongPassword } from "../../core/accounts/errors.ts";
import { beginPasskeyProof } from "../../core/accounts/prove-passkey.ts";
import { RECENT_PROOF_DESCRIPTION } from "../../core/accounts/reauthenticate.ts";
import { findOwnAccount, presentUser, User } from "../../core/accounts/user.ts";
import { endOtherOwnSessions, endOwnSession, listOwnSessions } from "../sessions/own.ts";
import { OwnSessions, SessionPath } from "../sessions/schemas.ts";
import { deleteOwnAccount } from "./delete.ts";
import { changePassword, passwordChangeViolations } from "./password.ts";
import { reauthenticate } from "./reauthenticate.ts";
import {
  ChangePasswordBody,
  DeleteAccountBody,
  ProfileBody,
  ProofOptions,
  ReauthenticateBody,
} from "./schemas.ts";
import { updateProfile } from "./service.ts";

const getProfileRoute = route({
  operationId: "getProfile",
  method: "get",
  path: "/api/profile",
  summary: "Get your account",
  access: "signed-in",
  worksConfined: true,
  worksBeforeTwoFactor: true,
  responses: { 200: json(User, "The account") },
});

const updateProfileRoute = route({
  operationId: "updateProfile",
  method: "patch",
  path: "/api/profile",
  summary: "Change your names and language",
  access: "signed-in",
  worksConfined: { withoutFields: ["firstName", "lastName"] },
  request: { body: jsonBody(ProfileBody, { firstName: "Ada", language: "en" }) },
  responses: { 200: json(User, "The changed account") },
});

const changePasswordRoute = route({
  operationId: "changePassword",
  method: "post",
  path: "/api/profile/password",
  summary: "Change your password",
  description: `Ends all other sessions. An account without a password sets one by \`POST /api/auth/forgot-password\` instead. ${CONFIRMATION_LIMIT_DESCRIPTION}`,
  access: "signed-in",
  furtherViolations: passwordChangeViolations,
  request: {
    body: jsonBody(ChangePasswordBody, {
      currentPassword: "wide blue yonder",
      newPassword: "a longer blue yonder",
    }),
  },
  responses: { 204: empty("The password was changed") },
  errors: [wrongPassword, conflict, tooManyRequests],
});

const deleteProfileRoute = route({
  operationId: "deleteProfile",
  method: "post",
  path: "/api/profile/delete",
  summary: "Delete your account",
  description: `Ends the memberships and sessions of your account. The email stays taken. The only member of an organization whose subscription renews cannot delete the account (409 \`CONFLICT\`). Password and code (of the authenticator app, or a recovery code) are required if the account has them. ${RECENT_PROOF_DESCRIPTION} ${CONFIRMATION_LIMIT_DESCRIPTION}`,
  access: "signed-in",
  request: { body: jsonBody(DeleteAccountBody, { password: "wide blue yonder" }) },
  responses: { 204: empty("The account was deleted") },
  errors: [
    wrongPassword,
    wrongCode,
    invalidPasskey,
    reauthenticationRequired,
    lastAdmin,
    breakGlassRequired,
    conflict,
    tooManyRequests,
  ],
});

const reauthenticateRoute = route({
  operationId: "reauthenticate",
  method: "post",
  path: "/api/profile/reauthenticate",
  summary: "Re-authenticate",
  description: `Makes the session count as a recent sign-in. Call it after a 403 \`REAUTHENTICATION_REQUIRED\`. Password and code of the authenticator app are required if the account has them. A recovery code is also accepted, once, and the user gets a mail about it. An account with neither password nor second factor gets 409 \`CONFLICT\`: sign in again, or prove the identity with a linked provider. ${CONFIRMATION_LIMIT_DESCRIPTION}`,
  access: "signed-in",
  worksConfined: true,
  worksBeforeTwoFactor: true,
  request: { body: jsonBody(ReauthenticateBody, { password: "wide blue yonder" }) },
  responses: { 204: empty("The session counts as recently signed in") },
  errors: [wrongPassword, wrongCode, invalidPasskey, cannotReauthenticate, tooManyRequests],
});

const reauthenticateOptionsRoute = route({
  operationId: "beginReauthenticationPasskey",
  method: "post",
  path: "/api/profile/reauthenticate/options",
  summary: "Begin a re-authentication with a passkey",
  description:
    "The challenge is valid for this session, for five minutes, and for re-authentication, enabling and disabling the second factor, export and deletion.",
  access: "signed-in",
  worksConfined: true,
  worksBeforeTwoFactor: true,
  existsIf: ({ passkeys }) => passkeys.mode !== "off",
  responses: { 200: json(ProofOptions, "The challenge, and the options of the browser") },
});

const listOwnSessionsRoute = route({
  operationId: "listOwnSessions",
  method: "get",
  path: "/api/profile/sessions",
  summary: "List your sessions",
  description: "Lists the most recently used session first.",
  access: "signed-in",
  worksConfined: true,
  responses: { 200: json(OwnSessions, "The sessions") },
});

const endOwnSessionRoute = route({
  operationId: "endOwnSession",
  method: "delete",
  path: "/api/profile/sessions/{id}",
  summary: "End one of your sessions",
  access: "signed-in",
  worksConfined: true,
  reauthentication: { classes: ["account"] },
  request: { params: SessionPath },
  responses: { 204: empty("The session ended") },
  errors: [notFound],
});

const endOtherOwnSessionsRoute = route({
  operationId: "endOtherOwnSessions",
  method: "delete",
  path: "/api/profile/sessions",
  summary: "End all your other sessions",
  access: "signed-in",
  reauthentication: { classes: ["account"] },
  responses: { 204: empty("All other sessions ended") },
});

export const profileRoutes = new Router("profile")
  .openapi(getProfileRoute, async (c) => c.json(presentUser(await findOwnAccount(c.var.call)), 200))
  .openapi(updateProfileRoute, async (c) =>
    c.json(presentUser(await updateProfile(c.var.call, c.req.valid("json"))), 200),
  )
  .openapi(changePasswordRoute, (c) => noContent(c, changePassword(c.var.call, c.req.valid("json"))))
  .openapi(deleteProfileRoute, (c) => noContent(c, deleteOwnAccount(c.var.call, c.req.valid("json"))))
  .openapi(reauthenticateRoute, (c) => noContent(c, reauthenticate(c.var.call, c.req.valid("json"))))
  .openapi(reauthenticateOptionsRoute, async (c) => c.json(await beginPasskeyProof(c.var.call), 200))
  .openapi(listOwnSessionsRoute, async (c) => c.json(await listOwnSessions(c.var.call), 200))
  .openapi(endOwnSessionRoute, (c) => noContent(c, endOwnSession(c.var.call, c.req.valid("param").id)))
  .openapi(endOtherOwnSessionsRoute, (c) => noContent(c, endOtherOwnSessions(c.var.call)));
