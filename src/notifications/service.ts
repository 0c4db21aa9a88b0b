import type { z } from "zod";
import * as notifications from "#sql/notifications";
import type { SignedInCall } from "../context.ts";
import { only } from "../db/prepared-query.ts";
import { transaction } from "../db/transaction.ts";
import { notFound } from "../http/errors.ts";
import { pageFrom } from "../http/paging.ts";
import type { Notification, NotificationQuery } from "./schemas.ts";

/** One's own notifications, newest first; dismissed ones are gone. */
export function listNotifications(
  { app, actor: { userId } }: SignedInCall,
  { unread, ...paging }: z.output<typeof NotificationQuery>,
) {
  const { lists } = app.db;
  return pageFrom(
    paging,
    {
      rows: (window) => notifications.listNotifications.run({ userId, unread, ...window }, lists),
      total: () => notifications.countNotifications.run({ userId, unread }, lists),
    },
    ({ id, type, data, readAt, createdAt }): z.output<typeof Notification> => ({
      id,
      type,
      data: data as Record<string, unknown>,
      readAt: readAt?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
    }),
  );
}

export async function countUnread({ app, actor: { userId } }: SignedInCall): Promise<{ count: number }> {
  return only(await notifications.countUnreadNotifications.run({ userId }, app.db));
}

/** @throws notFound for another's, a dismissed or an unknown one; reading twice is fine */
export async function markRead(call: SignedInCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const [read] = await notifications.markNotificationRead.run({ id, userId: call.actor.userId }, tx.db);
    if (read === undefined) throw notFound();
  });
}

export async function markAllRead(call: SignedInCall): Promise<void> {
  await transaction(call, (tx) =>
    notifications.markAllNotificationsRead.run({ userId: call.actor.userId }, tx.db),
  );
}

/** @throws notFound for another's, a dismissed or an unknown one */
export async function dismiss(call: SignedInCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const [dismissed] = await notifications.deleteNotification.run({ id, userId: call.actor.userId }, tx.db);
    if (dismissed === undefined) throw notFound();
  });
}
