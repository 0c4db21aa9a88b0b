import * as notifications from "#sql/effects";
import { exactlyOne, type Queryable } from "../../platform/db/prepared-query.ts";
import type { Call, Tx } from "../context.ts";

/** An assigned role, with its name at that time. */
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

/** PostgreSQL allows 8,000 bytes in one NOTIFY; an id of a user and one of a notification take 74. */
const BATCH_SIZE = 100;

/** Inserts a notification; its NOTIFY is sent on commit. */
export const notify = <Type extends keyof NotificationData>(
  tx: Tx,
  userId: string,
  type: Type,
  data: NotificationData[Type],
): Promise<void> => notifyAll(tx, [userId], type, data);

/** The same notification for each of these users. */
export async function notifyAll<Type extends keyof NotificationData>(
  tx: Tx,
  userIds: string[],
  type: Type,
  data: NotificationData[Type],
): Promise<void> {
  for (let start = 0; start < userIds.length; start += BATCH_SIZE)
    await write(tx.db.unawaited, userIds.slice(start, start + BATCH_SIZE), type, data);
}

/** Inserts a notification in a transaction of its own, and sends its NOTIFY. */
export const notifyInOwnTransaction = async <Type extends keyof NotificationData>(
  { app }: Call,
  userId: string,
  type: Type,
  data: NotificationData[Type],
) => exactlyOne(await write(app.db.writes, [userId], type, data));

/** One statement for row and NOTIFY: PostgreSQL lets one notifying transaction commit at a time (docs/decisions.md, 4). */
const write = <Type extends keyof NotificationData>(
  db: Queryable,
  userIds: string[],
  type: Type,
  data: NotificationData[Type],
) => notifications.insertNotifications.run({ userIds, type, data }, db);
