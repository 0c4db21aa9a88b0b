import type { z } from "zod";
import type * as attachments from "#sql/helpdesk/attachments";
import type * as messages from "#sql/helpdesk/messages";
import type * as tickets from "#sql/helpdesk/tickets";
import type { Ticket, TicketAttachment, TicketEvent, TicketMessage } from "./schemas.ts";

type RowOf<Query extends { run(...args: never[]): Promise<unknown[]> }> = Awaited<
  ReturnType<Query["run"]>
>[number];

export const presentTicket = (row: RowOf<typeof tickets.listTickets>): z.output<typeof Ticket> => ({
  id: row.id,
  number: row.number,
  subject: row.subject,
  category: row.category as z.output<typeof Ticket>["category"],
  status: row.status as z.output<typeof Ticket>["status"],
  organizationId: row.organizationId,
  organizationName: row.organizationName,
  reporter:
    row.reporterId === null
      ? null
      : {
          id: row.reporterId,
          email: row.reporterEmail ?? "",
          firstName: row.reporterFirstName ?? "",
          lastName: row.reporterLastName ?? "",
        },
  pagePath: row.pagePath,
  browser: row.browser,
  appVersion: row.appVersion,
  createdAt: row.createdAt.toISOString(),
  lastActivityAt: row.lastActivityAt.toISOString(),
  messageCount: row.messageCount,
});

export const presentMessage = (
  row: RowOf<typeof messages.listMessages>,
  images: RowOf<typeof attachments.listAttachments>[],
): z.output<typeof TicketMessage> => ({
  id: row.id,
  body: row.body,
  internal: row.internal,
  asStaff: row.asStaff,
  staffScope: row.staffScope as "PLATFORM" | "ORGANIZATION" | null,
  author: personOf({
    ...row,
    id: row.authorId,
    firstName: row.authorFirstName,
    lastName: row.authorLastName,
  }),
  via: row.clientName === null ? null : { name: row.clientName },
  attachments: images.map(presentAttachment),
  createdAt: row.createdAt.toISOString(),
});

export const presentTicketEvent = (
  row: RowOf<typeof tickets.listTicketEvents>,
): z.output<typeof TicketEvent> => ({
  type: "STATUS_CHANGED",
  from: row.fromStatus as z.output<typeof TicketEvent>["from"],
  to: row.toStatus as z.output<typeof TicketEvent>["to"],
  actor: personOf({ ...row, id: row.actorId, firstName: row.actorFirstName, lastName: row.actorLastName }),
  createdAt: row.createdAt.toISOString(),
});

type Person = {
  id: string | null;
  firstName: string | null;
  lastName: string | null;
  staffScope: string | null;
  organizationName: string | null;
};

function personOf({ id, firstName, lastName, staffScope, organizationName }: Person) {
  if (id === null) return null;
  const kindOfStaff = staffScope === "PLATFORM" ? ("platform" as const) : ("organization" as const);
  const staffKind = staffScope === null ? null : kindOfStaff;
  return { id, firstName: firstName ?? "", lastName: lastName ?? "", staffKind, organizationName };
}

const presentAttachment = (
  row: RowOf<typeof attachments.listAttachments>,
): z.output<typeof TicketAttachment> => ({
  id: row.id,
  fileName: row.fileName,
  contentType: row.contentType as z.output<typeof TicketAttachment>["contentType"],
  size: row.size,
  width: row.width,
  height: row.height,
});
