import { type AuthenticatedCall, mail, notify, notifyAll, type SignedInCall, type Tx } from "#kit";
import { fromStored, type NotificationData } from "#kit/inside";
import * as staff from "#sql/helpdesk/staff";
import * as tickets from "#sql/helpdesk/tickets";
import { LIMITS } from "./limits.ts";

export type LockedTicket = Awaited<ReturnType<typeof tickets.lockTicket.run>>[number];
type ReporterNotification = "HELPDESK_STAFF_REPLIED" | "HELPDESK_STATUS_CHANGED";

/**
 * Notifies the reporter of a ticket, in the application and, up to the limit, by mail. The mail names the ticket
 * and never quotes a message. Does nothing for the reporter's own action, or if the account is deleted. Call under
 * the ticket's row lock.
 */
export async function notifyReporter<Type extends ReporterNotification>(
  tx: Tx<AuthenticatedCall>,
  { id: ticketId, reporterId, reporterEmail, reporterLanguage }: LockedTicket,
  type: Type,
  data: Omit<NotificationData[Type], "ticketId">,
): Promise<void> {
  if (reporterEmail === null || reporterLanguage === null || reporterId === tx.actor.userId) return;
  await notify(tx, reporterId, type, { ticketId, ...data } as NotificationData[Type]);
  const { points, perSeconds: seconds } = LIMITS.ticketMails;
  const counted = { ticketId, points, seconds };
  if ((await tickets.insertTicketMail.run(counted, tx.db)).length === 0) return;
  const kind = type === "HELPDESK_STAFF_REPLIED" ? "helpdeskReply" : "helpdeskStatus";
  const language = fromStored(reporterLanguage);
  await mail(tx, { kind, to: reporterEmail, language, data: { ticketId, ...data } as never });
}

/** The maximum number of notified staff: the oldest accounts are notified (rules 17.5). */
const MAX_PARTICIPANTS = 100;

type About = { id: string; organizationId: string | null; reporterId: string };
type StaffNotification = "HELPDESK_TICKET_CREATED" | "HELPDESK_REPORTER_REPLIED";

/**
 * Notifies the staff of a ticket: platform administrators, and those staff of its organization whose reach includes
 * the reporter. The actor is not notified.
 */
export async function notifyStaff<Type extends StaffNotification>(
  tx: Tx<SignedInCall>,
  { id: ticketId, organizationId, reporterId }: About,
  type: Type,
  data: Omit<NotificationData[Type], "ticketId" | "organizationId">,
): Promise<void> {
  const find = (participants: boolean) =>
    staff.listStaff.run(
      { ticketId, organizationId, reporterId, actorId: tx.actor.userId, participants, max: MAX_PARTICIPANTS },
      tx.db,
    );
  const participants = type === "HELPDESK_REPORTER_REPLIED" ? await find(true) : [];
  const all = participants.length > 0 ? participants : await find(false);
  const { platform = [], organization = [] } = Object.groupBy(all, ({ isPlatform }) =>
    isPlatform ? "platform" : "organization",
  );
  const ids = (staff: typeof all) => staff.map(({ id }) => id);
  const about = { ticketId, ...data };
  await notifyAll(tx, ids(platform), type, about as NotificationData[Type]);
  await notifyAll(tx, ids(organization), type, { ...about, organizationId } as NotificationData[Type]);
}
