import { empty, json, jsonBody, noContent, Router, route } from "#kit";
import { emailTaken, invalidOrExpiredToken, registrationClosed } from "../../core/accounts/errors.ts";
import { botCheckRequired } from "../../core/accounts/outside-checks.ts";
import { register, registrationViolations } from "./register.ts";
import { requestPasswordReset, resetPassword, resetViolations } from "./reset-password.ts";
import {
  EmailBody,
  RegisterBody,
  RegisteredResponse,
  ResetPasswordBody,
  VerifyEmailBody,
} from "./schemas.ts";
import { requestVerification, verifyEmail } from "./verify-email.ts";

const TOKEN = "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E";
const MAYBE_MAILED = { 202: { description: "Accepted, whether or not the account exists" } };

const registerRoute = route({
  operationId: "register",
  method: "post",
  path: "/api/auth/register",
  summary: "Create an account",
  description:
    "Mails a verification link. The account can sign in after the email is verified; `organizationName` creates an organization at that moment.",
  access: "public",
  throttle: { perIp: true },
  furtherViolations: registrationViolations,
  request: {
    body: jsonBody(RegisterBody, {
      email: "ada@example.com",
      password: "wide blue yonder",
      firstName: "Ada",
      lastName: "Lovelace",
      language: "en",
    }),
  },
  responses: { 202: json(RegisteredResponse, "The account was created; its email is not verified yet") },
  errors: [registrationClosed, botCheckRequired, emailTaken],
});

const verifyEmailRoute = route({
  operationId: "verifyEmail",
  method: "post",
  path: "/api/auth/verify-email",
  summary: "Verify an email address",
  access: "public",
  throttle: { failuresPerIp: true },
  request: { body: jsonBody(VerifyEmailBody, { token: TOKEN }) },
  responses: { 204: empty("The email is verified") },
  errors: [invalidOrExpiredToken],
});

const resendVerificationRoute = route({
  operationId: "resendVerification",
  method: "post",
  path: "/api/auth/resend-verification",
  summary: "Resend the verification mail",
  description:
    "Limit: one mail a minute and five an hour for one account. The response does not reveal whether the account exists.",
  access: "public",
  throttle: { perIp: true },
  request: { body: jsonBody(EmailBody, { email: "ada@example.com" }) },
  responses: MAYBE_MAILED,
  errors: [botCheckRequired],
});

const forgotPasswordRoute = route({
  operationId: "forgotPassword",
  method: "post",
  path: "/api/auth/forgot-password",
  summary: "Request a password reset",
  description:
    "Limit: one mail a minute and five an hour for one account. The response does not reveal whether the account exists.",
  access: "public",
  throttle: { perIp: true },
  request: { body: jsonBody(EmailBody, { email: "ada@example.com" }) },
  responses: MAYBE_MAILED,
  errors: [botCheckRequired],
});

const resetPasswordRoute = route({
  operationId: "resetPassword",
  method: "post",
  path: "/api/auth/reset-password",
  summary: "Set a new password by a mailed link",
  description:
    "Also verifies the email, and ends all sessions. If the password is rejected, the link still works.",
  access: "public",
  throttle: { failuresPerIp: true },
  furtherViolations: resetViolations,
  request: { body: jsonBody(ResetPasswordBody, { token: TOKEN, newPassword: "a longer blue yonder" }) },
  responses: { 204: empty("The password was changed; sign in with it") },
  errors: [invalidOrExpiredToken],
});

export const accountRoutes = new Router("accounts")
  .openapi(registerRoute, async (c) => c.json(await register(c.var.call, c.req.valid("json")), 202))
  .openapi(verifyEmailRoute, (c) => noContent(c, verifyEmail(c.var.call, c.req.valid("json").token)))
  .openapi(resendVerificationRoute, async (c) => {
    await requestVerification(c.var.call, c.req.valid("json"));
    return c.body(null, 202);
  })
  .openapi(forgotPasswordRoute, async (c) => {
    await requestPasswordReset(c.var.call, c.req.valid("json"));
    return c.body(null, 202);
  })
  .openapi(resetPasswordRoute, (c) => noContent(c, resetPassword(c.var.call, c.req.valid("json"))));
