import * as notifications from "#sql/effects";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import type { Tx } from "../context.ts";

/** A role as it was given, named as it was called then. */
export type RoleEntry = { roleId: string; roleName: string; unitId: string | null; unitName: string | null };

type AboutTicket = { ticketId: string; number: number; subject: string };

/** Types and their data (rules 17.1, 17.4). Clients render the text; data never holds a secret. */
export type NotificationData = {
  WELCOME: Record<string, never>;
  PASSWORD_CHANGED: { via: "change" | "reset" };
  TWO_FACTOR_ENABLED: { via: "self" | "admin" };
  TWO_FACTOR_DISABLED: { via: "self" | "admin" };
  TWO_FACTOR_RECOVERY_CODE_USED: { remaining: number };
  SIGN_IN_METHOD_ADDED: { provider: string };
  SIGN_IN_METHOD_REMOVED: { provider: string };
  TEST: { sentAt: string };
  INVITATION_ACCEPTED: { email: string; userId: string; organizationId: string };
  HELPDESK_TICKET_CREATED: AboutTicket & { category: string; organizationId?: string };
  HELPDESK_REPORTER_REPLIED: AboutTicket & { organizationId?: string };
  HELPDESK_STAFF_REPLIED: AboutTicket;
  HELPDESK_STATUS_CHANGED: AboutTicket & { status: string };
  ROLES_CHANGED: { added: RoleEntry[]; removed: RoleEntry[]; organizationId: string };
};

/** PostgreSQL allows 8,000 bytes; an id of a user and one of a notification take 74. */
const MAX_LINES_PER_NOTIFY = 100;

/**
 * Writes a notification, and announces it on commit. It travels with what comes after, the commit at the latest, which
 * fails as it does. PostgreSQL lets one notifying transaction commit at a time (docs/decisions.md, 4).
 */
export const notify = <Type extends keyof NotificationData>(
  tx: Tx,
  userId: string,
  type: Type,
  data: NotificationData[Type],
): Promise<void> => notifyAll(tx, [userId], type, data);

/** The same notification for each of these users, in one statement. */
export async function notifyAll<Type extends keyof NotificationData>(
  tx: Tx,
  userIds: string[],
  type: Type,
  data: NotificationData[Type],
): Promise<void> {
  if (userIds.length > 0) await insert(tx.db.unawaited, userIds, type, data);
}

/** The same as `notify`; answers the id of what it wrote. */
export async function notifyWithId<Type extends keyof NotificationData>(
  tx: Tx,
  userId: string,
  type: Type,
  data: NotificationData[Type],
): Promise<string> {
  return exactlyOne(exactlyOne(await insert(tx.db, [userId], type, data)).ids);
}

const insert = (db: Queryable, userIds: string[], type: string, data: object) =>
  notifications.insertNotifications.run(
    { userIds, type, data: data as never, mostLines: MAX_LINES_PER_NOTIFY },
    db,
  );

/** Announces on commit that the unread notifications of a user are others now, so that open streams tell. */
export async function announceChange(tx: Tx, userId: string): Promise<void> {
  await notifications.announceNotifications.run({ payload: userId }, tx.db.unawaited);
}
