import { z } from "@hono/zod-openapi";
import { pathId, textExample, timestamp, uuid } from "../../core/api/fields.ts";
import { flag, listQuery, pageOf, search } from "../../core/api/paging.ts";

export const Notification = z
  .object({
    id: uuid,
    type: textExample("PASSWORD_CHANGED"),
    data: z.record(z.string(), z.unknown()).openapi({ example: { via: "reset" } }),
    readAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .openapi("Notification");

export const NotificationPage = pageOf(Notification).openapi("NotificationPage");
export const NotificationPath = z.strictObject({ id: pathId("notification") });
export const NotificationQuery = listQuery(
  { sorts: ["createdAt"], defaultOrder: "desc" },
  { search, unread: flag.default(false).openapi({ param: { description: "Unread ones alone." } }) },
);
export const UnreadCount = z.object({ count: z.int().openapi({ example: 3 }) }).openapi("UnreadCount");
