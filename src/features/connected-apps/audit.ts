import { z } from "@hono/zod-openapi";
import { type AuditEntry, changeOf, textExample, timestamp, uuid } from "#kit";
import { EXAMPLES, endedApps } from "#kit/inside";

const app = z.object({
  clientId: textExample("https://claude.ai/oauth/claude-code-client-metadata").describe(
    "The client id of the app.",
  ),
  name: textExample("Claude Code").describe("The name of the app."),
});
const ofUser = app.extend({ userId: uuid.describe("The person who connected the app.") });
const approved = z.object({ app: textExample("claude.ai").describe("The host or the client id.") });
const client = z.object({ name: textExample("Reporting").describe("The name of the client.") });
const redirectHosts = z
  .array(textExample("app.example.com"))
  .describe("The hosts of its redirect addresses.");

/** The audited actions (rules 46). */
export const audit = {
  CONNECTED_APP_APPROVED: {
    target: "connected_app",
    metadata: app.extend({
      host: textExample("claude.ai")
        .nullable()
        .describe("The host of the client id; null if it is registered."),
      resource: z.enum(["mcp", "api"]).describe("Where the app's tokens work."),
      unitId: uuid.nullable().describe("The unit to which the app is limited; null: none."),
      unitName: textExample("Sales").nullable().describe("The name of the unit."),
      scopes: z.array(textExample(EXAMPLES.scope)).describe("What the app may do."),
      expiresAt: timestamp.describe("When the access ends."),
    }),
  },
  CONNECTED_APP_REVOKED: {
    target: "connected_app",
    metadata: ofUser.extend({
      via: z
        .enum(["person", "organization", "app", "reported", "replaced"])
        .describe(
          "Who ended it: the person, an administrator, the app itself, somebody who reported a token as leaked, or a newer grant of the same app.",
        ),
    }),
  },
  CONNECTED_APP_TOKEN_REUSED: {
    target: "connected_app",
    metadata: ofUser.extend({
      kind: z.enum(["code", "refresh"]).describe("What was used a second time."),
    }),
  },
  APPROVED_APP_ADDED: { target: "approved_app", metadata: approved },
  APPROVED_APP_REMOVED: {
    target: "approved_app",
    metadata: approved.extend({ endedApps }),
  },
  OAUTH_CLIENT_CREATED: {
    target: "oauth_client",
    metadata: client.extend({
      redirectHosts,
      confidential: z.boolean().describe("Whether it has a secret."),
    }),
  },
  OAUTH_CLIENT_UPDATED: {
    target: "oauth_client",
    metadata: changeOf(
      client.extend({
        redirectHosts,
        enabled: z.boolean().describe("Whether its tokens work."),
      }),
    ),
  },
  OAUTH_CLIENT_DELETED: {
    target: "oauth_client",
    metadata: client.extend({ endedApps }),
  },
  OAUTH_CLIENT_SECRET_ROTATED: {
    target: "oauth_client",
    metadata: z.object({ endsAt: timestamp.describe("When the previous secret stops working.") }),
  },
} as const satisfies Record<string, AuditEntry>;
