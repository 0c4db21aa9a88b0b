import { z } from "@hono/zod-openapi";
import { textExample, uuid } from "#kit";
import { EXAMPLES } from "#kit/inside";

const aboutApp = z.object({
  grantId: uuid.describe("The id of the connected app."),
  clientName: textExample("Claude Code").describe("The name of the app."),
  organizationId: uuid.describe("The organization in which it acted."),
});
const withScopes = aboutApp.extend({
  clientHost: textExample("claude.ai").nullable().describe("The host of the app; null if it is registered."),
  scopes: z.array(textExample(EXAMPLES.scope)).describe("What the app may do."),
});

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  CONNECTED_APP_APPROVED: withScopes,
  CONNECTED_APP_TOKEN_REUSED: withScopes,
  CONNECTED_APP_REVOKED: aboutApp,
} as const satisfies Record<string, z.ZodObject>;
