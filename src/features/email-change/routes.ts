import {
  conflict,
  email,
  empty,
  forbidden,
  json,
  jsonBody,
  noContent,
  Router,
  route,
  tooManyRequests,
  unauthenticated,
} from "#kit";
import { reauthenticationRequired, twoFactorRequired } from "../../core/access/errors.ts";
import { emailTaken, invalidOrExpiredToken } from "../../core/accounts/errors.ts";
import { emailViolations } from "../../core/accounts/registration.ts";
import { cancelEmailChange, confirmEmailChange } from "./confirm.ts";
import { cancelOwnEmailChange, getEmail, requestEmailChange } from "./request.ts";
import { ChangeEmailBody, ConfirmedEmail, EmailLinkBody, EmailState, RequestedEmail } from "./schemas.ts";
import { undoEmailChange } from "./undo.ts";

const TOKEN = "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E";

const getEmailRoute = route({
  operationId: "getEmail",
  method: "get",
  path: "/api/profile/email",
  summary: "Get your email and its pending change",
  access: "signed-in",
  responses: { 200: json(EmailState, "The email") },
});

const requestEmailChangeRoute = route({
  operationId: "requestEmailChange",
  method: "post",
  path: "/api/profile/email",
  summary: "Change your email",
  description:
    "Mails a link to both addresses; the change is complete when both confirmed, within 24 hours. A later request supersedes an earlier one. At most one a minute and five a day; a request that another account's email refuses counts among the five.",
  access: "signed-in",
  reauthentication: { classes: ["credentials"] },
  furtherViolations: (body, { app }) => {
    const { data } = email.safeParse(body.email);
    return data === undefined ? [] : emailViolations(data, app.config);
  },
  request: { body: jsonBody(ChangeEmailBody, { email: "ada@example.org" }) },
  responses: { 202: json(RequestedEmail, "Both addresses get a link") },
  errors: [conflict, emailTaken, tooManyRequests],
});

const cancelOwnEmailChangeRoute = route({
  operationId: "cancelOwnEmailChange",
  method: "delete",
  path: "/api/profile/email",
  summary: "Cancel the change of your email",
  access: "signed-in",
  responses: { 204: empty("No change is pending") },
});

const confirmEmailChangeRoute = route({
  operationId: "confirmEmailChange",
  method: "post",
  path: "/api/auth/confirm-email-change",
  tags: ["accounts"],
  summary: "Confirm a change of email by a mailed link",
  description:
    "The link of the new address needs the access token of the account, whose session must be live; the link of the old address needs none. Confirming again succeeds.",
  access: "public",
  optionalBearer: true,
  throttle: { failuresPerIp: true },
  request: { body: jsonBody(EmailLinkBody, { token: TOKEN }) },
  responses: { 200: json(ConfirmedEmail, "The change was confirmed from this address") },
  errors: [invalidOrExpiredToken, unauthenticated, twoFactorRequired, reauthenticationRequired, forbidden],
});

const cancelEmailChangeRoute = route({
  operationId: "cancelEmailChange",
  method: "post",
  path: "/api/auth/cancel-email-change",
  tags: ["accounts"],
  summary: "Cancel a change of email by a mailed link",
  description:
    "Needs the link of the old address. Also ends every session of the account, and removes passkeys, providers, second factor and password that were added since 24 hours before the request. If the password was removed, or no way to sign in is left, the address gets a link to set one.",
  access: "public",
  throttle: { failuresPerIp: true },
  request: { body: jsonBody(EmailLinkBody, { token: TOKEN }) },
  responses: { 204: empty("The change is canceled") },
  errors: [invalidOrExpiredToken],
});

const undoEmailChangeRoute = route({
  operationId: "undoEmailChange",
  method: "post",
  path: "/api/auth/undo-email-change",
  tags: ["accounts"],
  summary: "Undo a change of email by a mailed link",
  description:
    "Restores the former email, ends every session, and removes passkeys, providers, second factor and password that were added since 24 hours before the request. The former address gets a link to set a password.",
  access: "public",
  throttle: { failuresPerIp: true },
  request: { body: jsonBody(EmailLinkBody, { token: TOKEN }) },
  responses: { 204: empty("The former email is restored") },
  errors: [invalidOrExpiredToken],
});

export const emailChangeRoutes = new Router("profile")
  .openapi(getEmailRoute, async (c) => c.json(await getEmail(c.var.call), 200))
  .openapi(requestEmailChangeRoute, async (c) =>
    c.json(await requestEmailChange(c.var.call, c.req.valid("json").email), 202),
  )
  .openapi(cancelOwnEmailChangeRoute, (c) => noContent(c, cancelOwnEmailChange(c.var.call)))
  .openapi(confirmEmailChangeRoute, async (c) =>
    c.json(await confirmEmailChange(c.var.call, c.req.valid("json").token, c.var.caller), 200),
  )
  .openapi(cancelEmailChangeRoute, (c) =>
    noContent(c, cancelEmailChange(c.var.call, c.req.valid("json").token)),
  )
  .openapi(undoEmailChangeRoute, (c) => noContent(c, undoEmailChange(c.var.call, c.req.valid("json").token)));
