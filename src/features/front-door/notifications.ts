import { z } from "@hono/zod-openapi";
import { textExample, uuid } from "#kit";

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  NEW_SIGN_IN: z.object({
    sessionId: uuid.describe("The session that began."),
    ip: textExample("203.0.113.7").nullable().describe("The client IP address of the sign-in."),
    userAgent: textExample("Mozilla/5.0 Firefox/140.0")
      .nullable()
      .describe("The `User-Agent` header of the sign-in."),
    method: z.enum(["password", "passkey", "provider", "sso"]).describe("How the user signed in."),
    provider: textExample("google")
      .nullable()
      .describe("The key of the sign-in provider; null for other methods."),
  }),
} as const satisfies Record<string, z.ZodObject>;
