import { empty, json, noContent, notFound, Router, raw, route, tooManyRequests } from "#kit";
import { notServedHere } from "./errors.ts";
import { NotificationPage, NotificationPath, NotificationQuery, UnreadCount } from "./schemas.ts";
import { countUnread, dismiss, listNotifications, markAllRead, markRead } from "./service.ts";
import { openStream } from "./stream.ts";
import { streamItems, streamSchemas } from "./stream-events.ts";

const listNotificationsRoute = route({
  operationId: "listNotifications",
  method: "get",
  path: "/api/notifications",
  summary: "List your notifications",
  description:
    "`search` matches the type. `unread=true` returns only unread notifications. Clients render texts from `type` and `data`.",
  access: "signed-in",
  worksConfined: true,
  request: { query: NotificationQuery },
  responses: { 200: json(NotificationPage, "One page, newest first") },
});

const countUnreadNotificationsRoute = route({
  operationId: "countUnreadNotifications",
  method: "get",
  path: "/api/notifications/unread-count",
  summary: "Count your unread notifications",
  access: "signed-in",
  worksConfined: true,
  responses: { 200: json(UnreadCount, "The number of unread notifications") },
});

const STREAMED = `: connected

event: unread-count
data: {"count":2}

event: notification
data: {"id":"0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e"}

event: unread-count
data: {"count":3}

: heartbeat

event: token-expired
data: {}

`;

const streamNotificationsRoute = route({
  operationId: "streamNotifications",
  method: "get",
  path: "/api/notifications/stream",
  summary: "Stream notifications",
  description:
    "Server-sent events: `unread-count` with `{ count }` on connecting and after every change, `notification` with `{ id }` for a new one, `token-expired` with `{}` when the stream ends, one second after the access token's `exp`; a comment every 25 seconds. Events are not repeated: after a reconnect, read the first count and the list. Limit: ten streams of a user on one instance. Returns 501 if requests cannot stay open: poll the unread count instead.",
  access: "signed-in",
  worksConfined: true,
  responses: {
    200: raw({ "text/event-stream": { example: STREAMED, ...streamItems } }, "The event stream"),
  },
  schemas: streamSchemas,
  errors: [tooManyRequests, notServedHere],
});

const readNotificationRoute = route({
  operationId: "readNotification",
  method: "post",
  path: "/api/notifications/{id}/read",
  summary: "Mark a notification as read",
  access: "signed-in",
  worksConfined: true,
  request: { params: NotificationPath },
  responses: { 204: empty("The notification is marked as read") },
  errors: [notFound],
});

const readAllNotificationsRoute = route({
  operationId: "readAllNotifications",
  method: "post",
  path: "/api/notifications/read-all",
  summary: "Mark all your notifications as read",
  access: "signed-in",
  worksConfined: true,
  responses: { 204: empty("All notifications are marked as read") },
});

const dismissNotificationRoute = route({
  operationId: "dismissNotification",
  method: "delete",
  path: "/api/notifications/{id}",
  summary: "Dismiss a notification",
  access: "signed-in",
  worksConfined: true,
  request: { params: NotificationPath },
  responses: { 204: empty("The notification was dismissed") },
  errors: [notFound],
});

export const notificationRoutes = new Router("notifications")
  .openapi(listNotificationsRoute, async (c) =>
    c.json(await listNotifications(c.var.call, c.req.valid("query")), 200),
  )
  .openapi(countUnreadNotificationsRoute, async (c) => c.json(await countUnread(c.var.call), 200))
  .openapi(streamNotificationsRoute, async (c) => openStream(c.var.call))
  .openapi(readNotificationRoute, (c) => noContent(c, markRead(c.var.call, c.req.valid("param").id)))
  .openapi(readAllNotificationsRoute, (c) => noContent(c, markAllRead(c.var.call)))
  .openapi(dismissNotificationRoute, (c) => noContent(c, dismiss(c.var.call, c.req.valid("param").id)));
