import { z } from "@hono/zod-openapi";
import { textExample, timestamp, uuid } from "#kit";

const aboutKey = z.object({
  keyId: uuid.describe("The id of the API key."),
  serviceAccountId: uuid.describe("The service account of the key."),
  name: textExample("CI").describe("The name of the key."),
  start: textExample("mosk_3fT9").describe("The prefix and the first characters of the key."),
  expiresAt: timestamp
    .nullable()
    .describe("When the key expires, or would have expired; null for a key that does not expire."),
  organizationId: uuid.describe("The organization of the key."),
});

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  API_KEY_EXPIRING: aboutKey,
  API_KEY_REPORTED: aboutKey,
} as const satisfies Record<string, z.ZodObject>;
