import type { z } from "zod";
import { exactlyOne, type SignedInCall, type Tx, unauthenticated } from "#kit";
import type { LastStep } from "#kit/inside";
import * as attachments from "#sql/helpdesk/attachments";
import * as messages from "#sql/helpdesk/messages";
import * as tickets from "#sql/helpdesk/tickets";
import type { Upload } from "../../core/forms/form.ts";
import { beginAction, MAX_MESSAGES } from "./limits.ts";
import { notifyStaff } from "./notify.ts";
import { getTicket } from "./read.ts";
import { bodyOf } from "./reply.ts";
import type { CreateTicketBody } from "./schemas.ts";
import { ticketEvent } from "./ticket-event.ts";
import { attachImages, withImages } from "./uploads.ts";
import { asReporter } from "./viewer.ts";

/**
 * Creates a ticket with its first message. The ticket belongs to the reporter's active organization, if there is
 * one.
 * @throws unsupportedImage, malformedImage, tooManyRequests, uploadQuotaExceeded; unauthenticated for a deleted
 * account
 */
export async function createTicket(
  call: SignedInCall,
  { subject, category, message, pagePath, browser, appVersion }: z.output<typeof CreateTicketBody>,
  uploads: Upload[],
  last: LastStep<SignedInCall>,
) {
  const { actor } = call;
  const { userId } = actor;
  const body = bodyOf(message);
  const slot = beginAction(call, "tickets");
  const place = async (tx: Tx<SignedInCall>, charge: () => Promise<void>) => {
    await charge();
    return exactlyOne(await attachments.newTicketId.run(undefined, tx.db)).id;
  };
  return withImages(call, { uploads, slot }, place, (reservation) =>
    last(async (tx) => {
      slot.consume();
      const [ticket] = await tickets.insertTicket.run(
        {
          id: reservation?.ticketId ?? null,
          subject,
          category,
          organizationId: actor.claims.organization?.id ?? null,
          reporterId: userId,
          pagePath: pagePath ?? null,
          browser: browser ?? null,
          appVersion: appVersion ?? null,
        },
        tx.db,
      );
      if (ticket === undefined) throw unauthenticated();
      const { id, number, organizationId } = ticket;
      const values = {
        ticketId: id,
        authorId: userId,
        body,
        staffScope: null,
        internal: false,
        clientName: null,
        max: MAX_MESSAGES,
      };
      const inserted = exactlyOne(await messages.insertMessage.run(values, tx.db));
      await attachImages(tx, reservation, inserted.id);
      const about = { id, organizationId, reporterId: userId };
      await ticketEvent(tx, "ticket.created", about);
      await notifyStaff(tx, about, "HELPDESK_TICKET_CREATED", { number, subject, category });
      return getTicket(tx.db, asReporter(tx), id);
    }),
  );
}
