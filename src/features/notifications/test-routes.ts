import { json, Router, route } from "#kit";
import { Notification } from "./schemas.ts";
import { sendTest } from "./service.ts";

const sendTestNotificationRoute = route({
  operationId: "sendTestNotification",
  method: "post",
  path: "/api/notifications/test",
  summary: "Send yourself a test notification",
  description: "Use this to try the stream. Not available in production.",
  access: "signed-in",
  worksConfined: true,
  throttle: { perUserPerMinute: 10 },
  responses: { 201: json(Notification, "The notification was created") },
});

/** Routes for testing notifications. They do not exist in production. */
export const testNotificationRoutes = new Router("notifications").openapi(
  sendTestNotificationRoute,
  async (c) => c.json(await sendTest(c.var.call), 201),
);
