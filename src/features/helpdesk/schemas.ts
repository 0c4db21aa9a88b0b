import { z } from "@hono/zod-openapi";
import { longText, pathId, singleLine, textExample, timestamp, uuid } from "../../core/api/fields.ts";
import { filter, idFilter, listQuery, pageOf, pageSize, search } from "../../core/api/paging.ts";
import { ticketCategory as category, ticketStatus as status } from "../../core/effects/entries.ts";

export type Status = z.output<typeof status>;

export const TicketAttachment = z
  .object({
    id: uuid,
    fileName: textExample("screenshot.png"),
    contentType: z.enum(["image/png", "image/jpeg", "image/webp", "image/gif"]),
    size: z.int().openapi({ description: "In bytes, as stored.", example: 48_213 }),
    width: z.int().openapi({ example: 1280 }),
    height: z.int().openapi({ example: 720 }),
  })
  .openapi("TicketAttachment");

export const TicketMessage = z
  .object({
    id: uuid,
    body: textExample("Since this morning."),
    internal: z.boolean().openapi({ description: "A note, which the reporter never sees." }),
    asStaff: z.boolean(),
    staffScope: z.enum(["PLATFORM", "ORGANIZATION"]).nullable().openapi({ example: null }),
    author: z
      .object({
        id: uuid,
        firstName: textExample("Ada"),
        lastName: textExample("Lovelace"),
        staffKind: z.enum(["platform", "organization"]).nullable().openapi({ example: null }),
        organizationName: textExample("Acme").nullable(),
      })
      .nullable()
      .openapi({ description: "Null for an account that is gone." }),
    attachments: z.array(TicketAttachment),
    createdAt: timestamp,
  })
  .openapi("TicketMessage");

export const Ticket = z
  .object({
    id: uuid,
    number: z.int().openapi({ example: 12 }),
    subject: textExample("The list stays empty"),
    category,
    status,
    organizationId: uuid.nullable(),
    organizationName: textExample("Acme").nullable(),
    reporter: z
      .object({
        id: uuid,
        email: textExample("ada@example.com"),
        firstName: textExample("Ada"),
        lastName: textExample("Lovelace"),
      })
      .nullable()
      .openapi({ description: "Null for an account that is gone." }),
    pagePath: textExample("/todos").nullable(),
    browser: textExample("Firefox 140").nullable(),
    appVersion: textExample("1.4.0").nullable(),
    createdAt: timestamp,
    lastActivityAt: timestamp.openapi({ description: "Notes do not count." }),
    messageCount: z.int().openapi({ description: "Of the messages that the caller may read.", example: 1 }),
  })
  .openapi("Ticket");
const earlierMessageCount = z.int().openapi({
  description: "The number of messages before these that the caller may read.",
  example: 0,
});
export const TicketWithMessages = Ticket.extend({
  messages: z.array(TicketMessage).openapi({ description: "The newest 100, oldest first." }),
  earlierMessageCount,
}).openapi("TicketWithMessages");
export const TicketMessages = z
  .object({ data: z.array(TicketMessage).openapi({ description: "Oldest first." }), earlierMessageCount })
  .openapi("TicketMessages");
export const TicketPage = pageOf(Ticket).openapi("TicketPage");

export const TicketPath = z.strictObject({ id: pathId("ticket") });
export const AttachmentPath = z.strictObject({ id: pathId("image") });

const SORTING = { sorts: ["lastActivityAt", "createdAt", "number"], defaultOrder: "desc" } as const;
const kinds = {
  search,
  status: filter(z.array(status).max(50), "Tickets in this status, or, repeated, in any of these."),
  category: filter(category, "Tickets of this category."),
};
const reporters = {
  unit: idFilter("Tickets of reporters who are linked to these units or their sub-units."),
  member: idFilter("Tickets of these reporters."),
};
export const OwnTicketQuery = listQuery(SORTING, kinds);
export const StaffTicketQuery = listQuery(SORTING, { ...kinds, ...reporters });
export const PlatformTicketQuery = listQuery(SORTING, {
  ...kinds,
  ...reporters,
  organization: idFilter("Tickets of these organizations."),
});

export const TicketMessageQuery = z.strictObject({
  before: filter(uuid, "Returns the messages before this one. Without it, the newest."),
  pageSize: pageSize.openapi({ param: { description: "The maximum number of messages." } }),
});

/** The page that was open, as its path alone: queries and fragments may hold secrets. */
const pagePath = singleLine({ min: 0, max: 2000 }).transform(pathOf);

/** Null for what is no path of one site: staff open it, and so it must not lead to another one, or run anything. */
function pathOf(value: string): string | null {
  const isAddress = /^https?:\/\//i.test(value);
  const written = isAddress ? (URL.parse(value)?.pathname ?? "") : value;
  const path = written.replace(/[?#].*$/su, "");
  return /^\/(?![/\\])/.test(path) ? path : null;
}

const optionalLine = (max: number) => singleLine({ min: 0, max }).transform((value) => value || null);

const message = longText({ min: 0, max: 10_000 }).optional();
export const CreateTicketBody = z
  .strictObject({
    subject: singleLine({ min: 1, max: 200 }),
    category,
    message,
    pagePath: pagePath.nullish(),
    browser: optionalLine(500).nullish(),
    appVersion: optionalLine(100).nullish(),
  })
  .openapi("CreateTicketBody");
export const ReplyBody = z.strictObject({ message }).openapi("TicketReplyBody");
export const StaffReplyBody = z
  .strictObject({
    message,
    internal: z.boolean().default(false).openapi({ description: "A note, which the reporter never sees." }),
  })
  .openapi("TicketStaffReplyBody");
export const TicketStatusBody = z.strictObject({ status: status.optional() }).openapi("TicketStatusBody");
