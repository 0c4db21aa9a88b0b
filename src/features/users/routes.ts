import { endpoint, reply } from "../../core/api/endpoint.ts";
import { idsOfHeader } from "../../core/api/id-headers.ts";
import { conflict, forbidden, lastAdmin, notFound, twoFactorNotEnabled } from "../../platform/errors.ts";
import { getUser, listUsers } from "./read.ts";
import { PlatformAdminBody, PlatformUser, PlatformUserPage, UserPath, UserQuery } from "./schemas.ts";
import { deleteUser, resetTwoFactor, setPlatformAdmin } from "./write.ts";

export const userEndpoints = [
  endpoint(
    {
      operationId: "listUsers",
      method: "get",
      path: "/api/users",
      tag: "users",
      summary: "List all accounts",
      description:
        "`search` looks at email and names; `organization` and `unit` keep live members. `X-Organization-Id` narrows, as `organization` does.",
      access: "platform-admin",
      query: UserQuery,
      answers: { 200: { description: "A page of accounts", schema: PlatformUserPage } },
    },
    async (call, { query }, request) =>
      reply(200, await listUsers(call, query, idsOfHeader(request.headers, "X-Organization-Id"))),
  ),

  endpoint(
    {
      operationId: "getUser",
      method: "get",
      path: "/api/users/{id}",
      tag: "users",
      summary: "Read any account",
      access: "platform-admin",
      params: UserPath,
      answers: { 200: { description: "The account", schema: PlatformUser } },
      refusals: [notFound],
    },
    async (call, { params }) => reply(200, await getUser(call, params.id)),
  ),

  endpoint(
    {
      operationId: "setPlatformAdmin",
      method: "patch",
      path: "/api/users/{id}",
      tag: "users",
      summary: "Make somebody a platform administrator, or no longer one",
      description: "Not oneself, not an unverified account, and one always remains.",
      access: "platform-admin",
      params: UserPath,
      body: PlatformAdminBody,
      example: { isPlatformAdmin: true },
      answers: { 200: { description: "As the account is now", schema: PlatformUser } },
      refusals: [forbidden, notFound, conflict, lastAdmin],
    },
    async (call, { params, body }) =>
      reply(200, await setPlatformAdmin(call, params.id, body.isPlatformAdmin)),
  ),

  endpoint(
    {
      operationId: "deleteUser",
      method: "delete",
      path: "/api/users/{id}",
      tag: "users",
      summary: "Delete an account",
      description: "Its memberships and sessions end; its email stays taken. Not oneself.",
      access: "platform-admin",
      params: UserPath,
      answers: { 204: { description: "Deleted" } },
      refusals: [forbidden, notFound, conflict, lastAdmin],
    },
    async (call, { params }) => {
      await deleteUser(call, params.id);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "resetTwoFactor",
      method: "delete",
      path: "/api/users/{id}/2fa",
      tag: "users",
      summary: "Turn off somebody's two-factor authentication",
      description: "For somebody who has lost it. Not one's own, which the profile turns off.",
      access: "platform-admin",
      params: UserPath,
      answers: { 204: { description: "It is off" } },
      refusals: [forbidden, notFound, conflict, twoFactorNotEnabled],
    },
    async (call, { params }) => {
      await resetTwoFactor(call, params.id);
      return reply(204);
    },
  ),
];
