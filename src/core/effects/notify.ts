import * as notifications from "#sql/effects";
import { only } from "../../platform/db/prepared-query.ts";
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

const announcements = new WeakMap<Tx, string[]>();

/**
 * Writes a notification, and announces it on commit; answers its id. All of a transaction go out in one NOTIFY at its end,
 * because PostgreSQL lets only one notifying transaction commit at a time (docs/decisions.md, 4).
 */
export async function notify<Type extends keyof NotificationData>(
  tx: Tx,
  userId: string,
  type: Type,
  data: NotificationData[Type],
): Promise<string> {
  return only(await notifyAll(tx, [userId], type, data));
}

/** The same notification for each of these users, in one statement; answers their ids. */
export async function notifyAll<Type extends keyof NotificationData>(
  tx: Tx,
  userIds: string[],
  type: Type,
  data: NotificationData[Type],
): Promise<string[]> {
  if (userIds.length === 0) return [];
  const written = await notifications.insertNotifications.run({ userIds, type, data }, tx.db);
  for (const { id, userId } of written) announce(tx, `${userId} ${id}`);
  return written.map(({ id }) => id);
}

/** Announces on commit that the unread notifications of a user are others now, so that open streams tell. */
export const announceChange = (tx: Tx, userId: string): void => announce(tx, userId);

function announce(tx: Tx, line: string): void {
  const waiting = announcements.get(tx);
  if (waiting !== undefined) {
    waiting.push(line);
    return;
  }
  const lines = [line];
  announcements.set(tx, lines);
  tx.beforeCommit.push(async () => {
    for (let start = 0; start < lines.length; start += MAX_LINES_PER_NOTIFY) {
      const payload = lines.slice(start, start + MAX_LINES_PER_NOTIFY).join("\n");
      await notifications.announceNotifications.run({ payload }, tx.db);
    }
  });
}
