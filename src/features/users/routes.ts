import {
  conflict,
  empty,
  forbidden,
  idsOfHeader,
  json,
  jsonBody,
  noContent,
  notFound,
  Router,
  route,
} from "#kit";
import { lastAdmin, twoFactorNotEnabled } from "../../core/accounts/errors.ts";
import { getUser, listUsers } from "./read.ts";
import { PlatformAdminBody, PlatformUser, PlatformUserPage, UserPath, UserQuery } from "./schemas.ts";
import { deleteUser, endSessionsOfUser, resetPasskeysOf, resetTwoFactor, setPlatformAdmin } from "./write.ts";

const listUsersRoute = route({
  operationId: "listUsers",
  method: "get",
  path: "/api/users",
  summary: "List all accounts",
  description:
    "`search` matches email and names; `organization` and `unit` return only current members. `X-Organization-Id` filters like `organization`.",
  access: "platform-admin",
  request: { query: UserQuery },
  responses: { 200: json(PlatformUserPage, "A page of accounts") },
});

const getUserRoute = route({
  operationId: "getUser",
  method: "get",
  path: "/api/users/{id}",
  summary: "Read any account",
  access: "platform-admin",
  request: { params: UserPath },
  responses: { 200: json(PlatformUser, "The account") },
  errors: [notFound],
});

const setPlatformAdminRoute = route({
  operationId: "setPlatformAdmin",
  method: "patch",
  path: "/api/users/{id}",
  summary: "Grant or revoke platform administration",
  description:
    "You cannot change yourself or an unverified account; the last platform administrator cannot be removed.",
  access: "platform-admin",
  reauthentication: { classes: ["account", "platform"] },
  request: { params: UserPath, body: jsonBody(PlatformAdminBody, { isPlatformAdmin: true }) },
  responses: { 200: json(PlatformUser, "The changed account") },
  errors: [forbidden, notFound, conflict, lastAdmin],
});

const deleteUserRoute = route({
  operationId: "deleteUser",
  method: "delete",
  path: "/api/users/{id}",
  summary: "Delete an account",
  description:
    "Ends the memberships and sessions of the account. The email stays taken. You cannot delete your own account here, nor that of the only member of an organization whose subscription renews (409 `CONFLICT`).",
  access: "platform-admin",
  reauthentication: { classes: ["platform"] },
  request: { params: UserPath },
  responses: { 204: empty("The account was deleted") },
  errors: [forbidden, notFound, conflict, lastAdmin],
});

const resetTwoFactorRoute = route({
  operationId: "resetTwoFactor",
  method: "delete",
  path: "/api/users/{id}/2fa",
  summary: "Disable two-factor authentication of an account",
  description:
    "Use this for users who lost their second factor. Disable your own second factor in your profile.",
  access: "platform-admin",
  reauthentication: { classes: ["account", "platform"] },
  request: { params: UserPath },
  responses: { 204: empty("Two-factor authentication is off") },
  errors: [forbidden, notFound, conflict, twoFactorNotEnabled],
});

const resetPasskeysRoute = route({
  operationId: "resetPasskeys",
  method: "delete",
  path: "/api/users/{id}/passkeys",
  summary: "Remove all passkeys of an account",
  description:
    "Use this for users whose device was lost or stolen. Ends the sessions that the passkeys proved, and a second factor that then has nothing. Remove your own passkeys in your profile.",
  access: "platform-admin",
  reauthentication: { classes: ["credentials"] },
  existsIf: ({ passkeys }) => passkeys.mode !== "off",
  request: { params: UserPath },
  responses: { 204: empty("The account has no passkeys") },
  errors: [forbidden, notFound, conflict],
});

const endSessionsOfUserRoute = route({
  operationId: "endSessionsOfUser",
  method: "delete",
  path: "/api/users/{id}/sessions",
  summary: "End all sessions of an account",
  description:
    "Use this for users whose device or cookie was stolen. If a session ended, the user gets a mail. The user may sign in again. Existing access tokens can still read until they expire, but cannot change permissions or credentials. If you end your own sessions, the session of this request ends, too.",
  access: "platform-admin",
  reauthentication: { classes: ["account", "platform"] },
  request: { params: UserPath },
  responses: { 204: empty("All sessions have ended") },
  errors: [forbidden, notFound],
});

export const userRoutes = new Router("users")
  .openapi(listUsersRoute, async (c) =>
    c.json(
      await listUsers(c.var.call, c.req.valid("query"), idsOfHeader(c.req.raw.headers, "X-Organization-Id")),
      200,
    ),
  )
  .openapi(getUserRoute, async (c) => c.json(await getUser(c.var.call, c.req.valid("param").id), 200))
  .openapi(setPlatformAdminRoute, async (c) =>
    c.json(
      await setPlatformAdmin(c.var.call, c.req.valid("param").id, c.req.valid("json").isPlatformAdmin),
      200,
    ),
  )
  .openapi(deleteUserRoute, (c) => noContent(c, deleteUser(c.var.call, c.req.valid("param").id)))
  .openapi(resetTwoFactorRoute, (c) => noContent(c, resetTwoFactor(c.var.call, c.req.valid("param").id)))
  .openapi(resetPasskeysRoute, (c) => noContent(c, resetPasskeysOf(c.var.call, c.req.valid("param").id)))
  .openapi(endSessionsOfUserRoute, (c) =>
    noContent(c, endSessionsOfUser(c.var.call, c.req.valid("param").id)),
  );
