import { z } from "@hono/zod-openapi";
import { email, uuid } from "../http/fields.ts";

export const LoginBody = z
  .strictObject({ email, password: z.string().min(1).max(1000).openapi({ format: "password" }) })
  .openapi("LoginBody");

export const AccessTokenAnswer = z.object({ accessToken: z.string() }).openapi("AccessToken");

export const ChallengeAnswer = z
  .object({ twoFactorRequired: z.literal(true), challengeToken: z.string() })
  .openapi("TwoFactorChallenge");

export const LoginAnswer = z.union([AccessTokenAnswer, ChallengeAnswer]).openapi("LoginAnswer");

export const SwitchBody = z.strictObject({ organizationId: uuid }).openapi("SwitchOrganizationBody");
