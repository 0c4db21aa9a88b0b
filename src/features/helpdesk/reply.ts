import * as messages from "#sql/helpdesk/messages";
import * as tickets from "#sql/helpdesk/tickets";
import type { SignedInCall, Tx } from "../../core/context.ts";
import { only } from "../../platform/db/prepared-query.ts";
import { notFound } from "../../platform/errors.ts";
import type { Upload } from "../../platform/http/form.ts";
import { isBlank } from "../../platform/text.ts";
import { ticketClosed } from "./errors.ts";
import { showMessage } from "./read.ts";
import { notifyReporter } from "./reporter.ts";
import { notifyStaff } from "./staff.ts";
import { auditStatus } from "./status.ts";
import { cleanImages, withImages } from "./uploads.ts";
import { assertStillStaff, type Viewer } from "./viewer.ts";

/** What is stored of a message: nothing where there is nothing to see, which is so beside images alone. */
export const bodyOf = (message = ""): string => (isBlank(message) ? "" : message);

type Written = { message?: string | undefined; internal?: boolean };

/**
 * Answers a ticket, or notes something on it, as the viewer may. A public answer of staff takes an open ticket up, one
 * of the reporter opens a resolved one again; notes change nothing (rules 20.9, 20.10).
 * @throws unsupportedImage, malformedImage, forbidden, notFound, tooManyRequests, ticketClosed,
 * tooManyImages, uploadQuotaExceeded
 */
export async function reply(
  call: SignedInCall,
  viewer: Viewer,
  ticketId: string,
  { message, internal = false }: Written,
  uploads: Upload[],
) {
  const body = bodyOf(message);
  const images = await cleanImages(call.app, uploads);
  const slot = call.app.helpdeskLimits.messages(call.actor.userId);
  const open = async (tx: Tx<SignedInCall>, refuseBeyondQuota = async () => {}) => {
    await assertStillStaff(tx, viewer);
    const [ticket] = await tickets.lockTicket.run({ id: ticketId, ...viewer.scope }, tx.db);
    if (ticket === undefined) throw notFound();
    await slot.take();
    await refuseBeyondQuota();
    if (ticket.status === "CLOSED") throw ticketClosed();
    return ticket;
  };
  try {
    return await withImages(
      call,
      images,
      async (tx, refuseBeyondQuota) => (await open(tx, refuseBeyondQuota)).id,
      async (tx, attach) => {
        const ticket = await open(tx);
        const { staffScope } = viewer;
        const written = { ticketId, authorId: tx.actor.userId, body, staffScope, internal };
        const messageId = only(await messages.insertMessage.run(written, tx.db)).id;
        await attach(tx, messageId);
        if (staffScope === null) await followReporter(tx, ticket);
        else if (!internal) await followStaff(tx, viewer, ticket);
        return showMessage(tx.db, viewer, { ticketId, messageId });
      },
    );
  } catch (error) {
    await slot.giveBack();
    throw error;
  }
}

type LockedTicket = Awaited<ReturnType<typeof tickets.lockTicket.run>>[number];

async function followReporter(tx: Tx<SignedInCall>, ticket: LockedTicket): Promise<void> {
  const { id, number, subject, status } = ticket;
  if (status === "RESOLVED") await tickets.setTicketStatus.run({ id, status: "OPEN" }, tx.db);
  else await tickets.touchTicket.run({ id }, tx.db);
  await notifyStaff(tx, ticket, "HELPDESK_REPORTER_REPLIED", { number, subject });
}

async function followStaff(tx: Tx<SignedInCall>, viewer: Viewer, ticket: LockedTicket): Promise<void> {
  const { id, number, subject, status } = ticket;
  if (status === "OPEN") {
    await tickets.setTicketStatus.run({ id, status: "IN_PROGRESS" }, tx.db);
    await auditStatus(tx, viewer, ticket, "IN_PROGRESS");
  } else await tickets.touchTicket.run({ id }, tx.db);
  await notifyReporter(tx, ticket, "HELPDESK_STAFF_REPLIED", { number, subject });
}
