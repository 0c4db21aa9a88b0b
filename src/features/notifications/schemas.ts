import { z } from "@hono/zod-openapi";
import { deferred, flag, listQuery, pageOf, pathId, productText, search, timestamp, uuid } from "#kit";
import { type NotificationType, notificationTypes, variantsOf } from "#kit/inside";

const NotificationBase = z
  .object({
    id: uuid.describe("The id of the notification."),
    readAt: timestamp.nullable().describe("When the notification was marked as read; null if it is unread."),
    createdAt: timestamp.describe("When the notification was created."),
    text: productText
      .nullable()
      .describe(
        "What it says, in each language; null if it is not one of the product: the client has the text.",
      ),
    link: z
      .url()
      .nullable()
      .openapi({ example: "https://app.example.com/inspections/4711" })
      .describe("Where a notification of the product leads; otherwise null."),
  })
  .openapi("NotificationBase");

type DataOf<Type extends NotificationType> = ReturnType<typeof notificationTypes>[Type];
const ofType = <Type extends NotificationType>(type: Type) =>
  NotificationBase.extend({
    type: z.literal(type).describe("The type of the notification."),
    data: notificationTypes()[type].describe("Details of the notification, by its type.") as DataOf<Type>,
  });

type Variant = { [Type in NotificationType]: ReturnType<typeof ofType<Type>> }[NotificationType];

/** A notification of any type. The type determines the properties of its data. */
export const Notification = deferred(() =>
  z.discriminatedUnion("type", variantsOf<Variant>(notificationTypes(), ofType, "Notification")),
).openapi("Notification", {
  description:
    "`type` determines `data`. More types may be added, and older notifications may lack newer fields: a client shows a general text for an unknown type.",
});

export const NotificationPage = pageOf(Notification).openapi("NotificationPage");
export const NotificationPath = z.strictObject({ id: pathId("notification") });
export const NotificationQuery = listQuery(
  { sorts: ["createdAt"], defaultOrder: "desc" },
  {
    search,
    unread: flag.default(false).openapi({ param: { description: "`true`: only unread notifications." } }),
  },
);
export const UnreadCount = z
  .object({ count: z.int().openapi({ example: 3 }).describe("The number of unread notifications.") })
  .openapi("UnreadCount", { description: "The number of unread notifications." });
