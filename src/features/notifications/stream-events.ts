import { z } from "@hono/zod-openapi";
import { uuid } from "#kit";
import { UnreadCount } from "./schemas.ts";

const NewNotification = z
  .object({ id: uuid.describe("The id of the notification.") })
  .openapi("NewNotification", { description: "The data of the stream event `notification`." });
const TokenExpired = z
  .object({})
  .openapi("TokenExpired", { description: "The access token has expired. The object is empty." });

const unreadCountEvent = z.object({
  event: z.literal("unread-count").describe("The name of the event."),
  data: UnreadCount,
});
const newNotificationEvent = z.object({
  event: z.literal("notification").describe("The name of the event."),
  data: NewNotification,
});
const tokenExpiredEvent = z.object({
  event: z.literal("token-expired").describe("The name of the event."),
  data: TokenExpired,
});

/**
 * The events of a notification stream with their data (rules 17.7). Types what the stream sends, and describes it
 * in the OpenAPI document.
 */
export const NotificationStreamEvent = z
  .discriminatedUnion("event", [
    unreadCountEvent.openapi("UnreadCountEvent"),
    newNotificationEvent.openapi("NewNotificationEvent"),
    tokenExpiredEvent.openapi("TokenExpiredEvent"),
  ])
  .openapi("NotificationStreamEvent", {
    description:
      "An event of the stream with its data parsed as JSON. More events may be added: a client ignores unknown ones.",
  });
export type NotificationStreamEvent = z.output<typeof NotificationStreamEvent>;

/** The components of the OpenAPI document that describe the stream, by name. */
export const streamSchemas = { NewNotification, TokenExpired, NotificationStreamEvent };

const item = (event: NotificationStreamEvent["event"], data: "UnreadCount" | keyof typeof streamSchemas) => ({
  type: "object",
  properties: {
    event: { type: "string", const: event, description: "The name of the event." },
    data: {
      type: "string",
      description: "The data of the event, as JSON.",
      contentMediaType: "application/json",
      contentSchema: { $ref: `#/components/schemas/${data}` },
    },
  },
  required: ["event", "data"],
});

/**
 * `schema` describes the parsed events; `x-itemSchema` (`itemSchema` of OpenAPI 3.2) describes each event in the
 * form in which it is sent.
 */
export const streamItems = {
  schema: {
    type: "string",
    contentMediaType: "text/event-stream",
    contentSchema: { type: "array", items: { $ref: "#/components/schemas/NotificationStreamEvent" } },
  },
  "x-itemSchema": {
    oneOf: [
      item("unread-count", "UnreadCount"),
      item("notification", "NewNotification"),
      item("token-expired", "TokenExpired"),
    ],
  },
};
