import { endpoint, reply } from "../../core/api/endpoint.ts";
import { notFound, tooManyRequests } from "../../platform/errors.ts";
import {
  Notification,
  NotificationPage,
  NotificationPath,
  NotificationQuery,
  UnreadCount,
} from "./schemas.ts";
import { countUnread, dismiss, listNotifications, markAllRead, markRead, sendTest } from "./service.ts";
import { openStream } from "./stream.ts";

export const notificationEndpoints = [
  endpoint(
    {
      operationId: "listNotifications",
      method: "get",
      path: "/api/notifications",
      tag: "notifications",
      summary: "List one's own notifications",
      description:
        "`search` looks at the type. `unread=true` leaves out those that were read. Texts are made by the client from `type` and `data`.",
      access: "signed-in",
      query: NotificationQuery,
      answers: { 200: { description: "One page, newest first", schema: NotificationPage } },
    },
    async (call, { query }) => reply(200, await listNotifications(call, query)),
  ),

  endpoint(
    {
      operationId: "countUnreadNotifications",
      method: "get",
      path: "/api/notifications/unread-count",
      tag: "notifications",
      summary: "Count one's own unread notifications",
      access: "signed-in",
      answers: { 200: { description: "How many", schema: UnreadCount } },
    },
    async (call) => reply(200, await countUnread(call)),
  ),

  endpoint(
    {
      operationId: "streamNotifications",
      method: "get",
      path: "/api/notifications/stream",
      tag: "notifications",
      summary: "Follow one's notifications live",
      description:
        "Server-sent events: `unread-count` with `{ count }` on connecting and after every change, `notification` with `{ id }` for a new one, `token-expired` with `{}` when the stream ends, one second after the access token's `exp`; a comment every 25 seconds. Nothing is repeated: after a reconnection the first count and the list catch up. At most ten streams a user on one instance.",
      access: "signed-in",
      answers: {
        200: {
          description: "The stream",
          content: { "text/event-stream": { example: 'event: unread-count\ndata: {"count":3}\n\n' } },
        },
      },
      refusals: [tooManyRequests],
    },
    async (call) => ({ response: openStream(call) }),
  ),

  endpoint(
    {
      operationId: "sendTestNotification",
      method: "post",
      path: "/api/notifications/test",
      tag: "notifications",
      summary: "Send oneself a notification",
      description: "To try the stream with. Not there in production.",
      access: "signed-in",
      perUserAMinute: 10,
      developmentOnly: true,
      answers: { 201: { description: "Sent", schema: Notification } },
    },
    async (call) => reply(201, await sendTest(call)),
  ),

  endpoint(
    {
      operationId: "readNotification",
      method: "post",
      path: "/api/notifications/{id}/read",
      tag: "notifications",
      summary: "Mark a notification as read",
      access: "signed-in",
      params: NotificationPath,
      answers: { 204: { description: "It is read, now or since earlier" } },
      refusals: [notFound],
    },
    async (call, { params }) => {
      await markRead(call, params.id);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "readAllNotifications",
      method: "post",
      path: "/api/notifications/read-all",
      tag: "notifications",
      summary: "Mark all of one's notifications as read",
      access: "signed-in",
      answers: { 204: { description: "All are read" } },
    },
    async (call) => {
      await markAllRead(call);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "dismissNotification",
      method: "delete",
      path: "/api/notifications/{id}",
      tag: "notifications",
      summary: "Dismiss a notification",
      access: "signed-in",
      params: NotificationPath,
      answers: { 204: { description: "Dismissed" } },
      refusals: [notFound],
    },
    async (call, { params }) => {
      await dismiss(call, params.id);
      return reply(204);
    },
  ),
];
