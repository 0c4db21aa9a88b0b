import { z } from "@hono/zod-openapi";
import { email, timestamp, uuid } from "../http/fields.ts";
import { LONGEST_PASSWORD_UNITS } from "../passwords/hasher.ts";

/** A password that is checked, not chosen: it may be older than today's rules. */
export const enteredPassword = z.string().min(1).max(LONGEST_PASSWORD_UNITS).openapi({ format: "password" });

export const LoginBody = z.strictObject({ email, password: enteredPassword }).openapi("LoginBody");

export const AccessTokenAnswer = z.object({ accessToken: z.string() }).openapi("AccessToken");

export const ChallengeAnswer = z
  .object({ twoFactorRequired: z.literal(true), challengeToken: z.string() })
  .openapi("TwoFactorChallenge");

export const LoginAnswer = z.union([AccessTokenAnswer, ChallengeAnswer]).openapi("LoginAnswer");

export const SwitchBody = z.strictObject({ organizationId: uuid }).openapi("SwitchOrganizationBody");

export const OwnSession = z
  .object({
    id: uuid,
    createdAt: timestamp,
    lastUsedAt: timestamp,
    expiresAt: timestamp,
    ip: z.string().nullable(),
    userAgent: z.string().nullable(),
    organization: z.object({ id: uuid, name: z.string() }).nullable(),
    current: z.boolean(),
  })
  .openapi("OwnSession");
export const OwnSessions = z.array(OwnSession);
export const SessionPath = z.strictObject({ id: uuid });
