import { endpoint, reply } from "../../core/api/endpoint.ts";
import { presentUser } from "../../core/people/present.ts";
import {
  conflict,
  lastAdmin,
  notFound,
  tooManyRequests,
  wrongCode,
  wrongPassword,
} from "../../platform/errors.ts";
import { endOtherOwnSessions, endOwnSession, listOwnSessions } from "../sessions/own.ts";
import { OwnSessions, SessionPath } from "../sessions/schemas.ts";
import { deleteOwnAccount } from "./delete.ts";
import { changePassword } from "./password.ts";
import { ChangePasswordBody, DeleteAccountBody, ProfileBody, User } from "./schemas.ts";
import { findOwnAccount, updateProfile } from "./service.ts";

export const profileEndpoints = [
  endpoint(
    {
      operationId: "getProfile",
      method: "get",
      path: "/api/profile",
      tag: "profile",
      summary: "Read one's own account",
      access: "signed-in",
      answers: { 200: { description: "The account", schema: User } },
    },
    async (call) => reply(200, presentUser(await findOwnAccount(call))),
  ),

  endpoint(
    {
      operationId: "updateProfile",
      method: "patch",
      path: "/api/profile",
      tag: "profile",
      summary: "Change one's own names and language",
      access: "signed-in",
      body: ProfileBody,
      example: { firstName: "Ada", language: "en" },
      answers: { 200: { description: "As the account is now", schema: User } },
    },
    async (call, { body }) => reply(200, presentUser(await updateProfile(call, body))),
  ),

  endpoint(
    {
      operationId: "changePassword",
      method: "post",
      path: "/api/profile/password",
      tag: "profile",
      summary: "Change one's own password",
      description:
        "All other sessions end. An account without a password sets one by the reset mail instead. Ten confirmations by password or code in 15 minutes, right or wrong, over the whole profile, are the most.",
      access: "signed-in",
      body: ChangePasswordBody,
      example: { currentPassword: "wide blue yonder", newPassword: "a longer blue yonder" },
      answers: { 204: { description: "Changed" } },
      refusals: [wrongPassword, conflict, tooManyRequests],
    },
    async (call, { body }) => {
      await changePassword(call, body);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "deleteProfile",
      method: "post",
      path: "/api/profile/delete",
      tag: "profile",
      summary: "Delete one's own account",
      description:
        "Its memberships and sessions end; its email stays taken. Password and code (of the authenticator app, or a recovery code) are required where the account has them. Ten confirmations by password or code in 15 minutes, right or wrong, over the whole profile, are the most.",
      access: "signed-in",
      body: DeleteAccountBody,
      example: { password: "wide blue yonder" },
      answers: { 204: { description: "Deleted" } },
      refusals: [wrongPassword, wrongCode, lastAdmin, tooManyRequests],
    },
    async (call, { body }) => {
      await deleteOwnAccount(call, body);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "listOwnSessions",
      method: "get",
      path: "/api/profile/sessions",
      tag: "profile",
      summary: "See where one is signed in",
      description: "The last used first.",
      access: "signed-in",
      answers: { 200: { description: "One entry a session", schema: OwnSessions } },
    },
    async (call) => reply(200, await listOwnSessions(call)),
  ),

  endpoint(
    {
      operationId: "endOwnSession",
      method: "delete",
      path: "/api/profile/sessions/{id}",
      tag: "profile",
      summary: "End one of one's own sessions",
      access: "signed-in",
      params: SessionPath,
      answers: { 204: { description: "Ended" } },
      refusals: [notFound],
    },
    async (call, { params }) => {
      await endOwnSession(call, params.id);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "endOtherOwnSessions",
      method: "delete",
      path: "/api/profile/sessions",
      tag: "profile",
      summary: "End all of one's own sessions but this one",
      access: "signed-in",
      answers: { 204: { description: "Ended" } },
    },
    async (call) => {
      await endOtherOwnSessions(call);
      return reply(204);
    },
  ),
];
