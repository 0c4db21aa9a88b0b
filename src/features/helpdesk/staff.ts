import * as staff from "#sql/helpdesk/staff";
import type { SignedInCall, Tx } from "../../core/context.ts";
import { notifyAll } from "../../core/effects/notify.ts";

/** The oldest accounts of all that could be notified (rules 17.5). */
const MOST = 100;

type About = { id: string; organizationId: string | null; reporterId: string };
type Told = {
  HELPDESK_TICKET_CREATED: { number: number; subject: string; category: string };
  HELPDESK_REPORTER_REPLIED: { number: number; subject: string };
};

/**
 * Tells the staff of a ticket: platform administrators, and those of its organization in whose reach the reporter is.
 * Nobody is told of their own act.
 */
export async function notifyStaff<Type extends keyof Told>(
  tx: Tx<SignedInCall>,
  { id: ticketId, organizationId, reporterId }: About,
  type: Type,
  data: Told[Type],
): Promise<void> {
  const find = (participants: boolean) =>
    staff.listStaff.run(
      { ticketId, organizationId, reporterId, actorId: tx.actor.userId, participants, max: MOST },
      tx.db,
    );
  const participants = type === "HELPDESK_REPORTER_REPLIED" ? await find(true) : [];
  const all = participants.length > 0 ? participants : await find(false);
  const { platform = [], organization = [] } = Object.groupBy(all, ({ isPlatform }) =>
    isPlatform ? "platform" : "organization",
  );
  const ids = (staff: typeof all) => staff.map(({ id }) => id);
  const about = { ticketId, ...data };
  await notifyAll(tx, ids(platform), type, about as never);
  await notifyAll(tx, ids(organization), type, { ...about, organizationId } as never);
}
