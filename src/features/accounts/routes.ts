import { endpoint, reply } from "../../core/api/endpoint.ts";
import { emailTaken, invalidOrExpiredToken } from "../../platform/errors.ts";
import { register } from "./register.ts";
import { requestPasswordReset, resetPassword } from "./reset-password.ts";
import { EmailBody, RegisterBody, RegisteredAnswer, ResetPasswordBody, VerifyEmailBody } from "./schemas.ts";
import { requestVerification, verifyEmail } from "./verify-email.ts";

const TOKEN = "3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b0c7k0oV6n3E";
const MAYBE_MAILED = { 202: { description: "Accepted, whether or not there is such an account" } };

export const accountEndpoints = [
  endpoint(
    {
      operationId: "register",
      method: "post",
      path: "/api/auth/register",
      tag: "accounts",
      summary: "Create an account",
      description:
        "Mails a verification link; signing in works once the email is verified. `organizationName` founds an organization at that moment.",
      access: "public",
      throttled: true,
      body: RegisterBody,
      example: {
        email: "ada@example.com",
        password: "wide blue yonder",
        firstName: "Ada",
        lastName: "Lovelace",
        language: "en",
      },
      answers: { 202: { description: "Created, unverified", schema: RegisteredAnswer } },
      refusals: [emailTaken],
    },
    async (call, { body }) => reply(202, await register(call, body)),
  ),

  endpoint(
    {
      operationId: "verifyEmail",
      method: "post",
      path: "/api/auth/verify-email",
      tag: "accounts",
      summary: "Verify an email by its mailed token",
      access: "public",
      throttled: true,
      body: VerifyEmailBody,
      example: { token: TOKEN },
      answers: { 204: { description: "Verified" } },
      refusals: [invalidOrExpiredToken],
    },
    async (call, { body }) => {
      await verifyEmail(call, body.token);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "resendVerification",
      method: "post",
      path: "/api/auth/resend-verification",
      tag: "accounts",
      summary: "Ask for the verification mail again",
      description:
        "At most one mail a minute and five an hour for one account. The answer never tells whether there is one.",
      access: "public",
      throttled: true,
      body: EmailBody,
      example: { email: "ada@example.com" },
      answers: MAYBE_MAILED,
    },
    async (call, { body }) => {
      await requestVerification(call, body.email);
      return reply(202);
    },
  ),

  endpoint(
    {
      operationId: "forgotPassword",
      method: "post",
      path: "/api/auth/forgot-password",
      tag: "accounts",
      summary: "Ask for a password reset mail",
      description:
        "At most one mail a minute and five an hour for one account. The answer never tells whether there is one.",
      access: "public",
      throttled: true,
      body: EmailBody,
      example: { email: "ada@example.com" },
      answers: MAYBE_MAILED,
    },
    async (call, { body }) => {
      await requestPasswordReset(call, body.email);
      return reply(202);
    },
  ),

  endpoint(
    {
      operationId: "resetPassword",
      method: "post",
      path: "/api/auth/reset-password",
      tag: "accounts",
      summary: "Choose a new password by a mailed token",
      description:
        "Verifies the email too, and ends every session. A refused password leaves the token as it is.",
      access: "public",
      throttled: true,
      body: ResetPasswordBody,
      example: { token: TOKEN, newPassword: "a longer blue yonder" },
      answers: { 204: { description: "Changed; sign in with the new password" } },
      refusals: [invalidOrExpiredToken],
    },
    async (call, { body }) => {
      await resetPassword(call, body);
      return reply(204);
    },
  ),
];
