import { z } from "@hono/zod-openapi";
import { timestamp, uuid } from "../http/fields.ts";
import { flag, listQuery, pageOf, search } from "../http/paging.ts";

export const Notification = z
  .object({
    id: uuid,
    type: z.string().openapi({ example: "WELCOME" }),
    data: z.record(z.string(), z.unknown()),
    readAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .openapi("Notification");

export const NotificationPage = pageOf(Notification).openapi("NotificationPage");
export const NotificationPath = z.strictObject({ id: uuid });
export const NotificationQuery = listQuery(
  { sorts: ["createdAt"], usualOrder: "desc" },
  { search, unread: flag.default(false) },
);
export const UnreadCount = z.object({ count: z.int() }).openapi("UnreadCount");
