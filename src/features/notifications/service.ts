import type { z } from "zod";
import { exactlyOne, list, notFound, type Queryable, type SignedInCall } from "#kit";
import { notifyInOwnTransaction, shownOfProduct } from "#kit/inside";
import * as notifications from "#sql/notifications";
import { confinedTo } from "../../core/access/proofs.ts";
import type { Notification, NotificationQuery } from "./schemas.ts";

/** Returns the caller's notifications, newest first, without dismissed ones. A search matches their types. */
export async function listNotifications(call: SignedInCall, query: z.output<typeof NotificationQuery>) {
  const { userId } = call.actor;
  const organizationId = confinedTo(call.actor);
  const types = query.search === null ? null : await findTypes(call.db.lists, userId, query.search);
  const filters = { userId, types, onlyUnread: query.unread || null };
  return organizationId === null
    ? list(notifications.notifications, call, { ...query, ...filters }, present)
    : list(notifications.notificationsIn, call, { ...query, ...filters, organizationId }, present);
}

const findTypes = async (db: Queryable, userId: string, search: string): Promise<string[]> =>
  (await notifications.listNotificationTypes.run({ userId, search }, db)).map(({ type }) => type);

type Row = Awaited<ReturnType<typeof notifications.listNotifications.run>>[number];

/** `notify` accepts only the data of the type, so a stored notification has that data too. */
const present = ({ id, type, data, readAt, createdAt, isProduct }: Row) =>
  ({
    id,
    type,
    data,
    readAt: readAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    ...(isProduct ? shownOfProduct(type, data as Record<string, unknown>) : { text: null, link: null }),
  }) as z.output<typeof Notification>;

/** Creates a notification for the caller, to test the stream. */
export const sendTest = async (call: SignedInCall): Promise<z.output<typeof Notification>> =>
  present(
    await notifyInOwnTransaction(call, call.actor.userId, "TEST", { sentAt: new Date().toISOString() }),
  );

/** Returns the number of unread notifications of these users. Users without unread notifications are missing. */
export async function countUnreadOf(db: Queryable, userIds: string[]): Promise<Map<string, number>> {
  const rows = await notifications.countUnreadOfUsers.run({ userIds }, db);
  return new Map(rows.map(({ userId, count }) => [userId, count]));
}

/** Returns the number of unread notifications about one organization, and which of these ids are about it. */
export const countUnreadIn = async (
  db: Queryable,
  place: { userId: string; organizationId: string; ids: string[] },
) => exactlyOne(await notifications.countUnreadIn.run(place, db));

export async function countUnread({ db, actor }: SignedInCall): Promise<{ count: number }> {
  const { userId } = actor;
  const organizationId = confinedTo(actor);
  if (organizationId !== null) {
    const { count } = await countUnreadIn(db, { userId, organizationId, ids: [] });
    return { count };
  }
  return exactlyOne(await notifications.countUnreadNotifications.run({ userId }, db));
}

/**
 * Marks a notification as read; repeated calls change nothing.
 * @throws notFound for an unknown or dismissed notification, or that of another user
 */
export async function markRead({ db, actor }: SignedInCall, id: string): Promise<void> {
  const [read] = await notifications.markNotificationRead.run({ id, ...ownerOf(actor) }, db.writes);
  if (read === undefined) throw notFound();
}

export async function markAllRead({ db, actor }: SignedInCall): Promise<void> {
  await notifications.markAllNotificationsRead.run(ownerOf(actor), db.writes);
}

/** A confined session changes only notifications about its organization. */
const ownerOf = (actor: SignedInCall["actor"]) => ({
  userId: actor.userId,
  organizationId: confinedTo(actor),
});

/** Dismisses a notification. @throws notFound for an unknown or dismissed notification, or that of another user */
export async function dismiss({ db, actor }: SignedInCall, id: string): Promise<void> {
  const [dismissed] = await notifications.deleteNotification.run({ id, ...ownerOf(actor) }, db.writes);
  if (dismissed === undefined) throw notFound();
}
