import type { z } from "zod";
import * as notifications from "#sql/notifications";
import { pageFrom } from "../../core/api/paging.ts";
import type { SignedInCall } from "../../core/context.ts";
import { announceChange, notifyWithId } from "../../core/effects/notify.ts";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { notFound } from "../../platform/errors.ts";
import type { Notification, NotificationQuery } from "./schemas.ts";

/** One's own notifications, newest first; dismissed ones are gone. A search looks at their types. */
export async function listNotifications(
  { app, actor: { userId } }: SignedInCall,
  { unread, search, ...paging }: z.output<typeof NotificationQuery>,
) {
  const { lists } = app.db;
  const types = search === null ? null : await findTypes(lists, userId, search);
  const filters = { userId, unread, types };
  return pageFrom(
    paging,
    {
      rows: (window) => notifications.listNotifications.run({ ...filters, ...window }, lists),
      total: () => notifications.countNotifications.run(filters, lists),
    },
    present,
  );
}

const findTypes = async (db: Queryable, userId: string, search: string): Promise<string[]> =>
  (await notifications.listNotificationTypes.run({ userId, search }, db)).map(({ type }) => type);

type Row = Awaited<ReturnType<typeof notifications.listNotifications.run>>[number];

const present = ({ id, type, data, readAt, createdAt }: Row): z.output<typeof Notification> => ({
  id,
  type,
  data: data as Record<string, unknown>,
  readAt: readAt?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
});

/** Writes the caller a notification to try the stream with. */
export async function sendTest(call: SignedInCall): Promise<z.output<typeof Notification>> {
  return transaction(call, async (tx) => {
    const { userId } = call.actor;
    const id = await notifyWithId(tx, userId, "TEST", { sentAt: new Date().toISOString() });
    return present(exactlyOne(await notifications.findNotification.run({ id, userId }, tx.db)));
  });
}

/** How many unread notifications each of these users has; who has none is missing. */
export async function countUnreadOf(db: Queryable, userIds: string[]): Promise<Map<string, number>> {
  const rows = await notifications.countUnreadOfUsers.run({ userIds }, db);
  return new Map(rows.map(({ userId, count }) => [userId, count]));
}

export async function countUnread({ app, actor: { userId } }: SignedInCall): Promise<{ count: number }> {
  return exactlyOne(await notifications.countUnreadNotifications.run({ userId }, app.db));
}

/** @throws notFound for another's, a dismissed or an unknown one; reading twice is fine */
export async function markRead(call: SignedInCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { userId } = call.actor;
    const [read] = await notifications.markNotificationRead.run({ id, userId }, tx.db);
    if (read === undefined) throw notFound();
    await announceChange(tx, userId);
  });
}

export async function markAllRead(call: SignedInCall): Promise<void> {
  await transaction(call, async (tx) => {
    const { userId } = call.actor;
    await notifications.markAllNotificationsRead.run({ userId }, tx.db);
    await announceChange(tx, userId);
  });
}

/** @throws notFound for another's, a dismissed or an unknown one */
export async function dismiss(call: SignedInCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { userId } = call.actor;
    const [dismissed] = await notifications.deleteNotification.run({ id, userId }, tx.db);
    if (dismissed === undefined) throw notFound();
    await announceChange(tx, userId);
  });
}
