import { forbidden } from "../../core/access/errors.ts";
import { idsOfHeader } from "../../core/api/id-headers.ts";
import { empty, json, jsonBody, route } from "../../core/api/route.ts";
import { Router } from "../../core/api/router.ts";
import { lastAdmin, twoFactorNotEnabled } from "../../core/people/errors.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { getUser, listUsers } from "./read.ts";
import { PlatformAdminBody, PlatformUser, PlatformUserPage, UserPath, UserQuery } from "./schemas.ts";
import { deleteUser, endSessionsOfUser, resetTwoFactor, setPlatformAdmin } from "./write.ts";

const listUsersRoute = route({
  operationId: "listUsers",
  method: "get",
  path: "/api/users",
  tags: ["users"],
  summary: "List all accounts",
  description:
    "`search` looks at email and names; `organization` and `unit` keep live members. `X-Organization-Id` narrows, as `organization` does.",
  access: "platform-admin",
  request: { query: UserQuery },
  responses: { 200: json(PlatformUserPage, "A page of accounts") },
});

const getUserRoute = route({
  operationId: "getUser",
  method: "get",
  path: "/api/users/{id}",
  tags: ["users"],
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
  tags: ["users"],
  summary: "Make somebody a platform administrator, or no longer one",
  description: "Not oneself, not an unverified account, and one always remains.",
  access: "platform-admin",
  needsRecentSignIn: true,
  request: { params: UserPath, body: jsonBody(PlatformAdminBody, { isPlatformAdmin: true }) },
  responses: { 200: json(PlatformUser, "As the account is now") },
  errors: [forbidden, notFound, conflict, lastAdmin],
});

const deleteUserRoute = route({
  operationId: "deleteUser",
  method: "delete",
  path: "/api/users/{id}",
  tags: ["users"],
  summary: "Delete an account",
  description: "Its memberships and sessions end; its email stays taken. Not oneself.",
  access: "platform-admin",
  request: { params: UserPath },
  responses: { 204: empty("Deleted") },
  errors: [forbidden, notFound, conflict, lastAdmin],
});

const resetTwoFactorRoute = route({
  operationId: "resetTwoFactor",
  method: "delete",
  path: "/api/users/{id}/2fa",
  tags: ["users"],
  summary: "Turn off somebody's two-factor authentication",
  description: "For somebody who has lost it. Not one's own, which the profile turns off.",
  access: "platform-admin",
  needsRecentSignIn: true,
  request: { params: UserPath },
  responses: { 204: empty("It is off") },
  errors: [forbidden, notFound, conflict, twoFactorNotEnabled],
});

const endSessionsOfUserRoute = route({
  operationId: "endSessionsOfUser",
  method: "delete",
  path: "/api/users/{id}/sessions",
  tags: ["users"],
  summary: "End all sessions of an account",
  description:
    "For somebody whose device or cookie was stolen. They are mailed if there was a session, and may sign in again. Access tokens that they hold can still read until they expire, but change no permissions or credentials. An administrator may end their own sessions: this one ends, too.",
  access: "platform-admin",
  needsRecentSignIn: true,
  request: { params: UserPath },
  responses: { 204: empty("None is left") },
  errors: [forbidden, notFound],
});

export const userRoutes = new Router()
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
  .openapi(deleteUserRoute, async (c) => {
    await deleteUser(c.var.call, c.req.valid("param").id);
    return c.body(null, 204);
  })
  .openapi(resetTwoFactorRoute, async (c) => {
    await resetTwoFactor(c.var.call, c.req.valid("param").id);
    return c.body(null, 204);
  })
  .openapi(endSessionsOfUserRoute, async (c) => {
    await endSessionsOfUser(c.var.call, c.req.valid("param").id);
    return c.body(null, 204);
  });
