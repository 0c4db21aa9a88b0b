import { z } from "@hono/zod-openapi";
import { textExample, timestamp, uuid } from "../definitions/fields.ts";
import { changedVia, RoleEntry, ticketCategory, ticketStatus } from "./entries.ts";

const aboutTicket = z.object({
  ticketId: uuid.describe("The id of the ticket."),
  number: z.int().openapi({ example: 12 }).describe("The number of the ticket."),
  subject: textExample("The list stays empty").describe("The subject of the ticket."),
});
const ticketOfOrganization = uuid.optional().openapi({
  description: "The id of the ticket's organization; present only for its staff.",
});
const provider = z.object({
  provider: textExample("google").describe("The key of the provider, `passkey` or `password`."),
});

const emailChange = z.object({
  from: textExample("ada@example.com").describe("The former email."),
  to: textExample("ada@example.org").describe("The new email."),
});

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

const aboutEndpoint = z.object({
  endpointId: uuid.describe("The id of the webhook endpoint."),
  host: textExample("hooks.example.com").describe("The host of the endpoint's URL."),
  failingSince: timestamp
    .nullable()
    .describe("Since when every attempt has failed; null if the last one succeeded."),
  reason: z
    .enum(["FAILING", "GONE"])
    .nullable()
    .describe("Why the endpoint was disabled; null for a warning."),
  organizationId: uuid.describe("The organization of the endpoint."),
});

/**
 * Notification types and their data (rules 17.1, 17.4). Types `notify`, and describes notifications in the OpenAPI
 * document. Clients render the text. The data must not contain a secret. A product adds its own types here.
 */
export const notificationTypes = {
  WELCOME: z.object({}),
  PASSWORD_CHANGED: z.object({
    via: z
      .enum(["change", "reset"])
      .describe("`change`: the user changed the password; `reset`: the password was reset by a mailed link."),
  }),
  TWO_FACTOR_ENABLED: z.object({
    via: changedVia.describe("Who made the change: `self` is the user, `admin` a platform administrator."),
  }),
  TWO_FACTOR_DISABLED: z.object({
    via: changedVia.describe("Who made the change: `self` is the user, `admin` a platform administrator."),
  }),
  TWO_FACTOR_RECOVERY_CODE_USED: z.object({
    remaining: z.int().openapi({ description: "The number of unused recovery codes.", example: 9 }),
  }),
  SIGN_IN_METHOD_ADDED: provider,
  SIGN_IN_METHOD_REMOVED: provider,
  EMAIL_CHANGE_REQUESTED: emailChange,
  EMAIL_CHANGED: emailChange,
  PASSKEY_BLOCKED: z.object({ name: textExample("Laptop").describe("The name of the passkey.") }),
  TEST: z.object({ sentAt: timestamp.describe("When the test notification was sent.") }),
  INVITATION_ACCEPTED: z.object({
    email: textExample("ada@example.com").describe("The email of the account that accepted the invitation."),
    userId: uuid.describe("The account that accepted the invitation."),
    organizationId: uuid.describe("The organization that the invitation was for."),
  }),
  HELPDESK_TICKET_CREATED: aboutTicket.extend({
    category: ticketCategory,
    organizationId: ticketOfOrganization,
  }),
  HELPDESK_REPORTER_REPLIED: aboutTicket.extend({ organizationId: ticketOfOrganization }),
  HELPDESK_STAFF_REPLIED: aboutTicket,
  HELPDESK_STATUS_CHANGED: aboutTicket.extend({ status: ticketStatus }),
  ROLES_CHANGED: z.object({
    added: z.array(RoleEntry).describe("The added role assignments."),
    removed: z.array(RoleEntry).describe("The removed role assignments."),
    organizationId: uuid.describe("The id of the organization in which the roles changed."),
  }),
  WEBHOOK_ENDPOINT_FAILING: aboutEndpoint,
  WEBHOOK_ENDPOINT_DISABLED: aboutEndpoint,
  API_KEY_EXPIRING: aboutKey,
  API_KEY_REPORTED: aboutKey,
} as const satisfies Record<string, z.ZodObject>;

export type NotificationType = keyof typeof notificationTypes;
export type NotificationData = { [Type in NotificationType]: z.output<(typeof notificationTypes)[Type]> };
