import { endpoint, reply } from "../../core/api/endpoint.ts";
import { findCaller } from "../../core/api/guard.ts";
import {
  alreadyMember,
  conflict,
  emailTaken,
  emailUnavailable,
  invalidOrExpiredToken,
  invitationEmailMismatch,
  notFound,
  organizationIsSuspended,
  permissionNotHeld,
  planLimitReached,
  resentTooRecently,
  tooManyRequests,
  unauthenticated,
  unitForbidden,
} from "../../platform/errors.ts";
import { acceptWithAccount, acceptWithNewAccount, newAccountOf, peek } from "./accept.ts";
import { invite } from "./invite.ts";
import { listInvitations } from "./read.ts";
import { resend } from "./resend.ts";
import { revoke } from "./revoke.ts";
import {
  AcceptBody,
  Invitation,
  InvitationPage,
  InvitationPath,
  InvitationQuery,
  InviteBody,
  PeekAnswer,
  PeekQuery,
} from "./schemas.ts";

const IN_UNITS =
  "Whoever holds the permission in a unit reaches only invitations whose every role is given inside its subtree.";

export const invitationEndpoints = [
  endpoint(
    {
      operationId: "invite",
      method: "post",
      path: "/api/members/invitations",
      tag: "invitations",
      summary: "Invite an email address",
      description: `Mails a link that works once, within seven days, and only while its inviter acts for the organization. Earlier invitations of the address are superseded. The caller must hold what it grants. ${IN_UNITS} At most 200 invitation mails an hour go out for an organization, 10 of them to one address, and 20 a day to one address from all organizations.`,
      access: { permission: "Invitations.Create" },
      body: InviteBody,
      example: {
        email: "ada@example.com",
        assignments: [{ roleId: "00000000-0000-7000-8000-000000000003", unitId: null }],
        language: "en",
      },
      answers: { 201: { description: "Invited", schema: Invitation } },
      refusals: [
        organizationIsSuspended,
        unitForbidden,
        permissionNotHeld,
        tooManyRequests,
        alreadyMember,
        conflict,
        planLimitReached,
      ],
    },
    async (call, { body }) => reply(201, await invite(call, body)),
  ),

  endpoint(
    {
      operationId: "listInvitations",
      method: "get",
      path: "/api/members/invitations",
      tag: "invitations",
      summary: "List pending invitations",
      description: `Expired ones too, marked as such. \`search\` looks at the email. ${IN_UNITS}`,
      access: { permission: "Invitations.Read" },
      query: InvitationQuery,
      answers: { 200: { description: "A page of invitations", schema: InvitationPage } },
    },
    async (call, { query }) => reply(200, await listInvitations(call, query)),
  ),

  endpoint(
    {
      operationId: "resendInvitation",
      method: "post",
      path: "/api/members/invitations/{id}/resend",
      tag: "invitations",
      summary: "Send an invitation again",
      description: `With a new link and new seven days; the old link dies. The caller becomes the inviter. At most once a minute, and counted like an invitation. ${IN_UNITS}`,
      access: { permission: "Invitations.Resend" },
      params: InvitationPath,
      answers: { 204: { description: "Sent again" } },
      refusals: [
        organizationIsSuspended,
        resentTooRecently,
        permissionNotHeld,
        tooManyRequests,
        alreadyMember,
        planLimitReached,
      ],
    },
    async (call, { params }) => {
      await resend(call, params.id);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "revokeInvitation",
      method: "delete",
      path: "/api/members/invitations/{id}",
      tag: "invitations",
      summary: "Revoke an invitation",
      description: IN_UNITS,
      access: { permission: "Invitations.Delete" },
      params: InvitationPath,
      answers: { 204: { description: "Revoked; its link is dead" } },
      refusals: [organizationIsSuspended, notFound],
    },
    async (call, { params }) => {
      await revoke(call, params.id);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "peekInvitation",
      method: "get",
      path: "/api/auth/invitation",
      tag: "invitations",
      summary: "See what an invitation's link leads to",
      description: "Looking does not use the link up.",
      access: "public",
      throttled: true,
      query: PeekQuery,
      answers: { 200: { description: "A link that works", schema: PeekAnswer } },
      refusals: [invalidOrExpiredToken, emailUnavailable],
    },
    async (call, { query }) => reply(200, await peek(call, query.token)),
  ),

  endpoint(
    {
      operationId: "acceptInvitation",
      method: "post",
      path: "/api/auth/accept-invitation",
      tag: "invitations",
      summary: "Accept an invitation",
      description:
        "With password and names it creates the account, verified, and signs nobody in; an `Authorization` header is ignored then. With the token alone it needs the access token of the invited account.",
      access: "public",
      throttled: true,
      body: AcceptBody,
      example: {
        token: "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E",
        password: "wide blue yonder",
        firstName: "Ada",
        lastName: "Lovelace",
      },
      answers: { 204: { description: "Accepted: a member now" } },
      refusals: [
        invalidOrExpiredToken,
        organizationIsSuspended,
        unauthenticated,
        invitationEmailMismatch,
        emailTaken,
        emailUnavailable,
        alreadyMember,
      ],
    },
    async (call, { body }, request) => {
      const account = newAccountOf(body);
      if (account === null)
        await acceptWithAccount(call, body.token, await findCaller(request.headers, call.app));
      else await acceptWithNewAccount(call, body.token, account);
      return reply(204);
    },
  ),
];
