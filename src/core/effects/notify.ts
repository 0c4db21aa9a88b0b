import * as notifications from "#sql/effects";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import type { Call, Tx } from "../context.ts";
import type { NotificationData, NotificationType } from "./notification-types.ts";

/** PostgreSQL allows 8,000 bytes in one NOTIFY; an id of a user and one of a notification take 74. */
const MAX_AT_ONCE = 100;

/** Writes a notification, and announces it on commit. */
export const notify = <Type extends NotificationType>(
  tx: Tx,
  userId: string,
  type: Type,
  data: NotificationData[Type],
): Promise<void> => notifyAll(tx, [userId], type, data);

/** The same notification for each of these users. */
export async function notifyAll<Type extends NotificationType>(
  tx: Tx,
  userIds: string[],
  type: Type,
  data: NotificationData[Type],
): Promise<void> {
  for (let start = 0; start < userIds.length; start += MAX_AT_ONCE)
    await write(tx.db.unawaited, userIds.slice(start, start + MAX_AT_ONCE), type, data);
}

/** Writes a notification in a transaction of its own, and announces it. */
export const notifyAlone = async <Type extends NotificationType>(
  { app }: Call,
  userId: string,
  type: Type,
  data: NotificationData[Type],
) => exactlyOne(await write(app.db.writes, [userId], type, data));

/** One statement for row and signal: PostgreSQL lets one notifying transaction commit at a time (docs/decisions.md, 4). */
const write = <Type extends NotificationType>(
  db: Queryable,
  userIds: string[],
  type: Type,
  data: NotificationData[Type],
) => notifications.insertNotifications.run({ userIds, type, data: data as notifications.Json }, db);
