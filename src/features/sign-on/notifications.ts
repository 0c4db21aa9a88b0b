import { z } from "@hono/zod-openapi";
import { textExample, timestamp, uuid } from "#kit";

const organizationId = uuid.describe("The organization.");
const aboutConnection = z.object({
  organizationId,
  connectionId: uuid.describe("The connection."),
  name: textExample("Acme").describe("The name of the connection."),
});

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  CONNECTION_FAILING: aboutConnection.extend({
    code: textExample("CLIENT_REFUSED").describe("The last error of the connection."),
  }),
  CONNECTION_SECRET_EXPIRING: aboutConnection.extend({
    expiresAt: timestamp.describe("When the secret expires."),
  }),
  SIGN_ON_SETUP_FINISHED: z.object({
    organizationId,
    email: textExample("it@example.com").describe("The address of the setup link."),
  }),
} as const satisfies Record<string, z.ZodObject>;
