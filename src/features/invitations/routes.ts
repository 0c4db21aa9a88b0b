import {
  conflict,
  dryRun,
  empty,
  idempotent,
  json,
  jsonBody,
  noContent,
  notFound,
  organizationIsSuspended,
  permissionNotHeld,
  planLimitReached,
  Router,
  route,
  tooManyRequests,
  unauthenticated,
  unitForbidden,
} from "#kit";
import { reauthenticationRequired, twoFactorRequired } from "../../core/access/errors.ts";
import {
  emailTaken,
  emailUnavailable,
  invalidOrExpiredToken,
  registrationClosed,
} from "../../core/accounts/errors.ts";
import { acceptWithAccount, acceptWithNewAccount, newAccountOf } from "./accept.ts";
import { inviteMany } from "./bulk.ts";
import { BulkInvitations, BulkInviteBody } from "./bulk-schemas.ts";
import { alreadyMember, invitationEmailMismatch, resentTooRecently } from "./errors.ts";
import { invite } from "./invite.ts";
import { acceptanceViolations, previewInvitation } from "./preview.ts";
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
  PreviewQuery,
  PreviewResponse,
} from "./schemas.ts";

/** 200 rows, each refused with a long message. */
const MAX_RESPONSE_BYTES = 256 * 1_024;

const IN_UNITS =
  "If the caller holds the permission only in units, it covers only invitations whose roles are all assigned in these units or their sub-units.";

const inviteRoute = route({
  operationId: "invite",
  method: "post",
  path: "/api/members/invitations",
  summary: "Invite an email address",
  description: `Mails a link that works once, within seven days, while the inviter can act for the organization. Supersedes earlier invitations of the address. The caller must hold every permission that the roles grant. ${IN_UNITS} Limit: 200 invitation mails an hour for an organization, 10 of them to one address. An address gets at most 20 a day from all organizations; further mails are sent when this limit allows.`,
  access: { permission: "Invitations.Create" },
  reauthentication: { classes: ["authority"] },
  request: {
    body: jsonBody(InviteBody, {
      email: "ada@example.com",
      assignments: [{ roleId: "00000000-0000-7000-8000-000000000003", unitId: null }],
      language: "en",
    }),
  },
  responses: { 201: json(Invitation, "The invitation was created") },
  idempotent: true,
  errors: [
    organizationIsSuspended,
    unitForbidden,
    permissionNotHeld,
    tooManyRequests,
    alreadyMember,
    conflict,
    planLimitReached,
  ],
});

const bulkInviteRoute = route({
  operationId: "inviteMany",
  method: "post",
  path: "/api/members/invitations/bulk",
  summary: "Invite many email addresses",
  description: `Checks each row like a single invitation, in order, and invites all rows that pass. A refused row does not stop the others. Mails above the limits of an hour wait; at most 2,000 mails of an organization wait. With \`dryRun\` nothing is written or mailed, and an \`Idempotency-Key\` is ignored. Limit: ten requests a minute for an organization. ${IN_UNITS}`,
  access: { permission: "Invitations.Create" },
  reauthentication: { classes: ["authority"] },
  request: {
    body: jsonBody(BulkInviteBody, {
      rows: [
        {
          email: "ada@example.com",
          assignments: [{ roleId: "00000000-0000-7000-8000-000000000003", unitId: null }],
          language: "en",
        },
      ],
      dryRun: true,
    }),
  },
  responses: { 200: json(BulkInvitations, "What happened to each row") },
  idempotent: true,
  maxStoredBytes: MAX_RESPONSE_BYTES,
  errors: [organizationIsSuspended, tooManyRequests],
});

const listInvitationsRoute = route({
  operationId: "listInvitations",
  method: "get",
  path: "/api/members/invitations",
  summary: "List pending invitations",
  description: `Includes expired invitations, marked by \`expired\`. \`search\` matches the email. ${IN_UNITS}`,
  access: { permission: "Invitations.Read" },
  request: { query: InvitationQuery },
  responses: { 200: json(InvitationPage, "A page of invitations") },
});

const resendInvitationRoute = route({
  operationId: "resendInvitation",
  method: "post",
  path: "/api/members/invitations/{id}/resend",
  summary: "Resend an invitation",
  description: `Sends a new link that works for seven days. The old link works until the mail is sent. The caller becomes the inviter. Allowed once a minute; counts as an invitation mail. ${IN_UNITS}`,
  access: { permission: "Invitations.Resend" },
  reauthentication: { classes: ["authority"] },
  request: { params: InvitationPath },
  responses: { 204: empty("The invitation was sent again") },
  idempotent: true,
  errors: [
    organizationIsSuspended,
    resentTooRecently,
    permissionNotHeld,
    tooManyRequests,
    alreadyMember,
    planLimitReached,
  ],
});

const revokeInvitationRoute = route({
  operationId: "revokeInvitation",
  method: "delete",
  path: "/api/members/invitations/{id}",
  summary: "Revoke an invitation",
  description: IN_UNITS,
  access: { permission: "Invitations.Delete" },
  reauthentication: { classes: ["authority"] },
  request: { params: InvitationPath },
  responses: { 204: empty("The invitation was revoked; its link no longer works") },
  errors: [organizationIsSuspended, notFound],
});

const previewInvitationRoute = route({
  operationId: "previewInvitation",
  method: "get",
  path: "/api/auth/invitation",
  summary: "Preview an invitation",
  description: "A preview does not use up the link.",
  access: "public",
  throttle: { failuresPerIp: true },
  request: { query: PreviewQuery },
  responses: { 200: json(PreviewResponse, "The invitation") },
  errors: [invalidOrExpiredToken, emailUnavailable],
});

const acceptInvitationRoute = route({
  operationId: "acceptInvitation",
  method: "post",
  path: "/api/auth/accept-invitation",
  summary: "Accept an invitation",
  description:
    "For a new account send password and names: creates a verified account, without signing in, and ignores an `Authorization` header. For an existing account send only the token, with the access token of the invited account.",
  access: "public",
  optionalBearer: true,
  throttle: { failuresPerIp: true },
  furtherViolations: acceptanceViolations,
  request: {
    body: jsonBody(AcceptBody, {
      token: "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E",
      password: "wide blue yonder",
      firstName: "Ada",
      lastName: "Lovelace",
    }),
  },
  responses: { 204: empty("The account is now a member of the organization") },
  errors: [
    registrationClosed,
    invalidOrExpiredToken,
    organizationIsSuspended,
    unauthenticated,
    twoFactorRequired,
    reauthenticationRequired,
    invitationEmailMismatch,
    emailTaken,
    emailUnavailable,
    alreadyMember,
  ],
});

export const invitationRoutes = new Router("invitations")
  .openapi(inviteRoute, (c) => idempotent(c, 201, (tx) => invite(tx, c.req.valid("json"))))
  .openapi(bulkInviteRoute, async (c) => {
    const body = c.req.valid("json");
    if (body.dryRun) return c.json(await dryRun(c.var.call, (tx) => inviteMany(tx, body)), 200);
    return idempotent(c, 200, (tx) => inviteMany(tx, body));
  })
  .openapi(listInvitationsRoute, async (c) =>
    c.json(await listInvitations(c.var.call, c.req.valid("query")), 200),
  )
  .openapi(resendInvitationRoute, (c) => idempotent(c, 204, (tx) => resend(tx, c.req.valid("param").id)))
  .openapi(revokeInvitationRoute, (c) => noContent(c, revoke(c.var.call, c.req.valid("param").id)))
  .openapi(previewInvitationRoute, async (c) =>
    c.json(await previewInvitation(c.var.call, c.req.valid("query").token), 200),
  )
  .openapi(acceptInvitationRoute, (c) => {
    const body = c.req.valid("json");
    const account = newAccountOf(body);
    if (account !== null) return noContent(c, acceptWithNewAccount(c.var.call, body.token, account));
    const { caller } = c.var;
    c.var.request.userId = caller?.sub ?? null;
    return noContent(c, acceptWithAccount(c.var.call, body.token, caller));
  });
