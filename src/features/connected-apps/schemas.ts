import { z } from "@hono/zod-openapi";
import { singleLine, textExample, timestamp, uuid } from "#kit";
import { EXAMPLES } from "#kit/inside";

/** The app, as people see it. */
export const Client = z
  .object({
    id: textExample("https://claude.ai/oauth/claude-code-client-metadata").describe(
      "The client id: the address of the app's document, or the id of a registered client.",
    ),
    name: textExample("Claude Code").describe("The name, without control and invisible characters."),
    host: textExample("claude.ai")
      .nullable()
      .describe("The host of the client id, by which people recognize the app; null if it is registered."),
    source: z
      .enum(["document", "operator", "organization"])
      .describe("Who describes the app: itself, the operator of the service, or the organization."),
  })
  .openapi("ConnectedAppClient");

export const appResource = z
  .enum(["mcp", "api"])
  .describe("Where the app's tokens work: at `/mcp` or at `/api`.");
export const scopeName = singleLine({ min: 1, max: 100 }).openapi({ example: EXAMPLES.scope });

/** A connected app, as its person sees it. */
export const ConnectedApp = z
  .object({
    id: uuid.describe("The id of the grant."),
    client: Client.openapi({ description: "The app that acts for the person." }),
    resource: appResource,
    organization: z
      .object({
        id: uuid.describe("The id of the organization."),
        name: textExample("Acme").describe("The name of the organization."),
      })
      .describe("The organization in which the app acts."),
    unit: z
      .object({
        id: uuid.describe("The id of the unit."),
        name: textExample("Sales").describe("The name of the unit."),
      })
      .nullable()
      .describe("The unit to which it is limited, with those below; null: the whole organization."),
    scopes: z.array(textExample(EXAMPLES.scope)).describe("What the app may do."),
    readOnly: z.boolean().describe("Whether the app may change nothing."),
    createdAt: timestamp.describe("When it was approved."),
    lastUsedAt: timestamp.nullable().describe("When it last called; up to 11 minutes late."),
    lastUsedIp: textExample("203.0.113.7").nullable().describe("The address of that call."),
    expiresAt: timestamp.describe(
      "When its access ends: after the chosen days, or 30 days after its last use.",
    ),
  })
  .openapi("ConnectedApp");

/** A connected app of a member, as administrators see it. */
export const ConnectedAppOfMember = ConnectedApp.extend({
  member: z
    .object({
      userId: uuid.describe("The account."),
      email: textExample("ada@example.com").describe("The email address."),
      firstName: textExample("Ada").nullable().describe("The first name."),
      lastName: textExample("Lovelace").nullable().describe("The last name."),
    })
    .describe("The member for whom the app acts."),
}).openapi("ConnectedAppOfMember");
