import { z } from "@hono/zod-openapi";
import { line, longText, timestamp, uuid } from "../http/fields.ts";
import { idFilter, listQuery, pageOf, search } from "../http/paging.ts";

export const CATEGORIES = ["BUG", "QUESTION", "ACCOUNT", "BILLING", "FEATURE", "OTHER"] as const;
export const STATUSES = ["OPEN", "IN_PROGRESS", "RESOLVED", "CLOSED"] as const;
const category = z.enum(CATEGORIES).openapi("TicketCategory");
const status = z.enum(STATUSES).openapi("TicketStatus");
export type Status = (typeof STATUSES)[number];

export const TicketAttachment = z
  .object({
    id: uuid,
    fileName: z.string(),
    contentType: z.enum(["image/png", "image/jpeg", "image/webp", "image/gif"]),
    size: z.int().openapi({ description: "In bytes, as stored." }),
    width: z.int(),
    height: z.int(),
  })
  .openapi("TicketAttachment");

export const TicketMessage = z
  .object({
    id: uuid,
    body: z.string(),
    internal: z.boolean().openapi({ description: "A note, which the reporter never sees." }),
    asStaff: z.boolean(),
    staffScope: z.enum(["PLATFORM", "ORGANIZATION"]).nullable(),
    author: z
      .object({
        id: uuid,
        firstName: z.string(),
        lastName: z.string(),
        staffKind: z.enum(["platform", "organization"]).nullable(),
        organizationName: z.string().nullable(),
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
    number: z.int(),
    subject: z.string(),
    category,
    status,
    organizationId: uuid.nullable(),
    organizationName: z.string().nullable(),
    reporter: z
      .object({ id: uuid, email: z.string(), firstName: z.string(), lastName: z.string() })
      .nullable()
      .openapi({ description: "Null for an account that is gone." }),
    pagePath: z.string().nullable(),
    browser: z.string().nullable(),
    appVersion: z.string().nullable(),
    createdAt: timestamp,
    lastActivityAt: timestamp.openapi({ description: "Notes do not count." }),
    messageCount: z.int().openapi({ description: "Of the messages that the caller may read." }),
  })
  .openapi("Ticket");
export const TicketWithMessages = Ticket.extend({
  messages: z.array(TicketMessage).openapi({ description: "Oldest first." }),
}).openapi("TicketWithMessages");
export const TicketPage = pageOf(Ticket).openapi("TicketPage");

export const TicketPath = z.strictObject({ id: uuid });
export const AttachmentPath = z.strictObject({ id: uuid });

const SORTING = { sorts: ["lastActivityAt", "createdAt", "number"], usualOrder: "desc" } as const;
const kinds = {
  search,
  status: z.array(status).max(50).nullable().default(null),
  category: category.nullable().default(null),
};
export const OwnTicketQuery = listQuery(SORTING, kinds);
export const StaffTicketQuery = listQuery(SORTING, { ...kinds, unit: idFilter, member: idFilter });
export const PlatformTicketQuery = listQuery(SORTING, {
  ...kinds,
  organization: idFilter,
  unit: idFilter,
  member: idFilter,
});

/** The page that was open, as its path alone: queries and fragments may hold secrets. */
const pagePath = line({ least: 0, most: 2000 }).transform((value) => pathOf(value) || null);

function pathOf(value: string): string {
  const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(value) || value.startsWith("//");
  const path = isUrl ? (URL.parse(value, "https://localhost")?.pathname ?? "") : value;
  return path.replace(/[?#].*$/su, "");
}

const optionalLine = (most: number) => line({ least: 0, most }).transform((value) => value || null);

const message = longText({ least: 0, most: 10_000 }).optional();
export const CreateTicketBody = z
  .strictObject({
    subject: line({ least: 1, most: 200 }),
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
export const TicketStatusBody = z.strictObject({ status }).openapi("TicketStatusBody");
