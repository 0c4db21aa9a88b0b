import { isBlank, type SignedInCall, type Tx } from "#kit";
import type { LastStep } from "#kit/inside";
import * as messages from "#sql/helpdesk/messages";
import * as tickets from "#sql/helpdesk/tickets";
import type { Upload } from "../../core/forms/form.ts";
import { ticketClosed, ticketFull } from "./errors.ts";
import { beginAction, MAX_MESSAGES } from "./limits.ts";
import { type LockedTicket, notifyReporter, notifyStaff } from "./notify.ts";
import { showMessage } from "./read.ts";
import { auditStatus, changeOf, lockTicket } from "./status.ts";
import { messageEvent, ticketEvent } from "./ticket-event.ts";
import { attachImages, withImages } from "./uploads.ts";
import type { Viewer } from "./viewer.ts";

/** Returns the text to store; empty if it is only whitespace, which is allowed with images. */
export const bodyOf = (message = ""): string => (isBlank(message) ? "" : message);

type Written = { message?: string | undefined; internal?: boolean };

/**
 * Adds a reply or an internal note to a ticket, if the viewer is allowed to. A public reply of staff changes an
 * open ticket to IN_PROGRESS. A reply of the reporter reopens a resolved ticket. Notes change no status (rules
 * 20.9, 20.10).
 * @throws unsupportedImage, malformedImage, forbidden, notFound, tooManyRequests, ticketClosed, ticketFull,
 * tooManyImages, uploadQuotaExceeded
 */
export async function addMessage(
  call: SignedInCall,
  { id: ticketId, viewer }: { id: string; viewer: Viewer },
  { message, internal = false }: Written,
  uploads: Upload[],
  last: LastStep<SignedInCall>,
) {
  const body = bodyOf(message);
  const slot = beginAction(call, "messages");
  const place = async (tx: Tx<SignedInCall>, charge: () => Promise<void>) => {
    const ticket = await lockTicket(tx, viewer, ticketId);
    await charge();
    assertNotClosed(ticket);
    return ticketId;
  };
  return withImages(call, { uploads, slot }, place, (reservation) =>
    last(async (tx) => {
      // The ticket is locked and read again: no lock was held while images were stored, so it may have been closed
      // meanwhile.
      const ticket = await lockTicket(tx, viewer, ticketId);
      slot.consume();
      assertNotClosed(ticket);
      const { staffScope } = viewer;
      const values = { ticketId, authorId: tx.actor.userId, body, staffScope, internal };
      const clientName = tx.actor.app?.clientName ?? null;
      const [inserted] = await messages.insertMessage.run(
        { ...values, clientName, max: MAX_MESSAGES },
        tx.db,
      );
      if (inserted === undefined) throw ticketFull();
      const messageId = inserted.id;
      await attachImages(tx, reservation, messageId);
      const attachmentCount = uploads.length;
      await messageEvent(tx, ticket, { id: messageId, internal, staffScope, attachmentCount });
      if (staffScope === null) await followReporter(tx, viewer, ticket);
      else if (!internal) await followStaff(tx, viewer, ticket);
      return showMessage(tx.db, viewer, { ticketId, messageId });
    }),
  );
}

function assertNotClosed({ status }: LockedTicket): void {
  if (status === "CLOSED") throw ticketClosed();
}

async function followReporter(tx: Tx<SignedInCall>, viewer: Viewer, ticket: LockedTicket): Promise<void> {
  const { id, organizationId, number, subject, status } = ticket;
  if (status === "RESOLVED") {
    await tickets.setTicketStatus.run(changeOf(tx, viewer, ticket, "OPEN"), tx.db);
    await ticketEvent(tx, "ticket.updated", ticket, { status });
  } else await tickets.touchTicket.run({ id, organizationId }, tx.db);
  await notifyStaff(tx, ticket, "HELPDESK_REPORTER_REPLIED", { number, subject });
}

async function followStaff(tx: Tx<SignedInCall>, viewer: Viewer, ticket: LockedTicket): Promise<void> {
  const { id, organizationId, number, subject, status } = ticket;
  if (status === "OPEN") {
    await tickets.setTicketStatus.run(changeOf(tx, viewer, ticket, "IN_PROGRESS"), tx.db);
    await auditStatus(tx, viewer, ticket, "IN_PROGRESS");
    await ticketEvent(tx, "ticket.updated", ticket, { status });
  } else await tickets.touchTicket.run({ id, organizationId }, tx.db);
  await notifyReporter(tx, ticket, "HELPDESK_STAFF_REPLIED", { number, subject });
}
