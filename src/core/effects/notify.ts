import * as notifications from "#sql/effects";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import type { Call, Tx } from "../context.ts";
import type { NotificationData, NotificationType } from "./notification-types.ts";

/**
 * The maximum number of notifications announced by one NOTIFY. PostgreSQL allows 8,000 bytes; the ids of a user and
 * a notification need 74 bytes.
 */
const BATCH_SIZE = 100;

/** Inserts a notification; its NOTIFY is sent on commit. */
export const notify = <Type extends NotificationType>(
  tx: Tx,
  userId: string,
  type: Type,
  data: NotificationData[Type],
): Promise<void> => notifyAll(tx, [userId], type, data);

/** Inserts the same notification for each of these users. */
export async function notifyAll<Type extends NotificationType>(
  tx: Tx,
  userIds: string[],
  type: Type,
  data: NotificationData[Type],
): Promise<void> {
  for (let start = 0; start < userIds.length; start += BATCH_SIZE)
    await write(tx.effects, userIds.slice(start, start + BATCH_SIZE), type, data);
}

/** Inserts a notification in a separate transaction, and sends its NOTIFY. */
export const notifyInOwnTransaction = async <Type extends NotificationType>(
  { db }: Call,
  userId: string,
  type: Type,
  data: NotificationData[Type],
) => exactlyOne(await write(db.writes, [userId], type, data));

/**
 * Inserts a notification and calls NOTIFY in one statement: PostgreSQL commits only one notifying transaction at a
 * time (docs/decisions/0004).
 */
const write = <Type extends NotificationType>(
  db: Queryable,
  userIds: string[],
  type: Type,
  data: NotificationData[Type],
) => notifications.insertNotifications.run({ userIds, type, data: data as notifications.Json }, db);
