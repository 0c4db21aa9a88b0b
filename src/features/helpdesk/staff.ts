import { notifyAll, type SignedInCall, type Tx } from "#kit";
import type { NotificationData } from "#kit/inside";
import * as staff from "#sql/helpdesk/staff";

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
