import { type AuthenticatedCall, mail, notify, type Tx } from "#kit";
import { fromStored, type NotificationData } from "#kit/inside";
import * as tickets from "#sql/helpdesk/tickets";
import { LIMITS } from "./limits.ts";

type LockedTicket = Awaited<ReturnType<typeof tickets.lockTicket.run>>[number];
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
