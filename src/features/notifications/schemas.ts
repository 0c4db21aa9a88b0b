import { z } from "@hono/zod-openapi";
import { pathId, timestamp, uuid } from "../../core/api/fields.ts";
import { flag, listQuery, pageOf, search } from "../../core/api/paging.ts";
import { variantsOf } from "../../core/api/variants.ts";
import { type NotificationType, notificationTypes } from "../../core/effects/notification-types.ts";

const NotificationBase = z
  .object({ id: uuid, readAt: timestamp.nullable(), createdAt: timestamp })
  .openapi("NotificationBase");

const ofType = <Type extends NotificationType>(type: Type) =>
  NotificationBase.extend({ type: z.literal(type), data: notificationTypes[type] });

type Variant = { [Type in NotificationType]: ReturnType<typeof ofType<Type>> }[NotificationType];

/** A notification of any type; the type determines the data. */
export const Notification = z
  .discriminatedUnion("type", variantsOf<Variant>(notificationTypes, ofType, "Notification"))
  .openapi("Notification", {
    description:
      "`type` determines `data`. More types may be added, and older notifications may lack newer fields: a client shows a general text for an unknown type.",
  });

export const NotificationPage = pageOf(Notification).openapi("NotificationPage");
export const NotificationPath = z.strictObject({ id: pathId("notification") });
export const NotificationQuery = listQuery(
  { sorts: ["createdAt"], defaultOrder: "desc" },
  { search, unread: flag.default(false).openapi({ param: { description: "Unread ones alone." } }) },
);
export const UnreadCount = z.object({ count: z.int().openapi({ example: 3 }) }).openapi("UnreadCount");
