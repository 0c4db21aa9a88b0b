import { z } from "@hono/zod-openapi";
import {
  filter,
  idFilter,
  listQuery,
  longText,
  pageOf,
  pageSize,
  pathId,
  search,
  singleLine,
  textExample,
  timestamp,
  uuid,
} from "#kit";
import { ticketCategory as category, EXAMPLES, ticketStatus as status } from "#kit/inside";

export type Status = z.output<typeof status>;

export const TicketAttachment = z
  .object({
    id: uuid.describe("The id of the image."),
    fileName: textExample("screenshot.png").describe(
      "The name of the file, without path and control characters.",
    ),
    contentType: z
      .enum(["image/png", "image/jpeg", "image/webp", "image/gif"])
      .describe("The media type, detected from the content of the file."),
    size: z.int().openapi({ description: "The stored size in bytes.", example: 48_213 }),
    width: z.int().openapi({ example: 1280 }).describe("The width in pixels."),
    height: z.int().openapi({ example: 720 }).describe("The height in pixels."),
  })
  .openapi("TicketAttachment");

const TicketPerson = z
  .object({
    id: uuid.describe("The id of the account."),
    firstName: textExample("Ada").describe("The first name of the author or staff member."),
    lastName: textExample("Lovelace").describe("The last name of the author or staff member."),
    staffKind: z
      .enum(["platform", "organization"])
      .nullable()
      .openapi({ example: null })
      .describe("Whether the person is staff of the organization or of the platform; null for the reporter."),
    organizationName: textExample("Acme")
      .nullable()
      .describe("The organization of the staff member; null for others."),
  })
  .openapi("TicketPerson");
const ticketPerson = TicketPerson.nullable().openapi({
  description: "A user who wrote in the ticket or changed it; null if the account was deleted.",
});

export const TicketMessage = z
  .object({
    id: uuid.describe("The id of the message."),
    body: textExample("Since this morning.").describe(
      "The text of the message; empty if the message has only images.",
    ),
    internal: z
      .boolean()
      .openapi({ description: "Whether the message is an internal note, which the reporter never sees." }),
    asStaff: z.boolean().describe("Whether the author wrote the message as staff, not as the reporter."),
    staffScope: z
      .enum(["PLATFORM", "ORGANIZATION"])
      .nullable()
      .openapi({ example: null })
      .describe(
        "Whether the author wrote as staff of the organization or of the platform; null for the reporter.",
      ),
    author: ticketPerson,
    via: z
      .object({ name: textExample("Claude Code").describe("The name of the app.") })
      .nullable()
      .openapi({ example: null })
      .describe("The connected app that wrote the message for its author; null without one."),
    attachments: z.array(TicketAttachment).describe("The images of the message."),
    createdAt: timestamp.describe("When the message was written."),
  })
  .openapi("TicketMessage");

export const Ticket = z
  .object({
    id: uuid.describe("The id of the ticket."),
    number: z
      .int()
      .openapi({ example: 12 })
      .describe("The number of the ticket to show to users, unique on the platform."),
    subject: textExample("The list stays empty").describe("The subject of the ticket: one line of text."),
    category,
    status,
    organizationId: uuid
      .nullable()
      .describe(
        "The active organization of the reporter when the ticket was created; null if there was none.",
      ),
    organizationName: textExample("Acme").nullable().describe("The name of the ticket's organization."),
    reporter: z
      .object({
        id: uuid.describe("The id of the reporter's account."),
        email: textExample("ada@example.com").describe("The email of the reporter."),
        firstName: textExample("Ada").describe("The first name of the reporter."),
        lastName: textExample("Lovelace").describe("The last name of the reporter."),
      })
      .nullable()
      .openapi({
        description: "The reporter of the ticket; null if the account was deleted.",
      }),
    pagePath: textExample(EXAMPLES.pagePath)
      .nullable()
      .describe("The path of the page where the problem appeared."),
    browser: textExample("Firefox 140").nullable().describe("The reporter's browser."),
    appVersion: textExample("1.4.0").nullable().describe("The version of the client."),
    createdAt: timestamp.describe("When the ticket was created."),
    lastActivityAt: timestamp.openapi({
      description: "When the ticket last changed; internal notes do not count.",
    }),
    messageCount: z
      .int()
      .openapi({ description: "The number of messages that the caller may read.", example: 1 }),
  })
  .openapi("Ticket");
export const TicketEvent = z
  .object({
    type: z.literal("STATUS_CHANGED").describe("The kind of change."),
    from: status,
    to: status,
    actor: ticketPerson,
    createdAt: timestamp.describe("When the ticket changed."),
  })
  .openapi("TicketEvent");
const earlierMessageCount = z.int().openapi({
  description: "The number of earlier messages that the caller may read.",
  example: 0,
});
export const TicketWithMessages = Ticket.extend({
  messages: z
    .array(TicketMessage)
    .openapi({ description: "The newest 100 messages of the ticket, oldest first." }),
  earlierMessageCount,
  events: z
    .array(TicketEvent)
    .openapi({ description: "The newest 100 changes of the ticket, oldest first." }),
}).openapi("TicketWithMessages");
export const TicketMessages = z
  .object({
    data: z.array(TicketMessage).openapi({ description: "The messages, oldest first." }),
    earlierMessageCount,
  })
  .openapi("TicketMessages");
export const TicketPage = pageOf(Ticket).openapi("TicketPage");

export const TicketPath = z.strictObject({ id: pathId("ticket") });
export const AttachmentPath = z.strictObject({ id: pathId("image") });

const SORTING = { sorts: ["lastActivityAt", "createdAt", "number"], defaultOrder: "desc" } as const;
const kinds = {
  search,
  status: filter(z.array(status).max(50), "Only tickets with this status; repeat the parameter for several."),
  category: filter(category, "Only tickets of this category."),
};
const reporters = {
  unit: idFilter("Only tickets of reporters of these units and their sub-units."),
  member: idFilter("Only tickets of these reporters."),
};
export const OwnTicketQuery = listQuery(SORTING, kinds);
export const StaffTicketQuery = listQuery(SORTING, { ...kinds, ...reporters });
export const PlatformTicketQuery = listQuery(SORTING, {
  ...kinds,
  ...reporters,
  organization: idFilter("Only tickets of these organizations."),
});

export const TicketMessageQuery = z.strictObject({
  before: filter(
    uuid,
    "The id of a message: returns the messages before it. If omitted, returns the newest messages.",
  ),
  pageSize: pageSize.openapi({ param: { description: "The maximum number of messages." } }),
});

/**
 * The page of the client from which a ticket was created. Only its path, because query and fragment may contain
 * secrets.
 */
const pagePath = singleLine({ min: 0, max: 2000 }).transform(pathOf);

/**
 * Returns the path of a URL or path in the client. Null if it could lead to another site or run a script, because
 * staff open it.
 */
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
    subject: singleLine({ min: 1, max: 200 }).describe("The subject of the ticket: one line of text."),
    category,
    message: message.describe("The text of the first message; required if there are no images."),
    pagePath: pagePath
      .nullish()
      .describe(
        "The path of the page where the problem appeared. From a full address only the path is stored.",
      ),
    browser: optionalLine(500).nullish().describe("The reporter's browser."),
    appVersion: optionalLine(100).nullish().describe("The version of the client."),
  })
  .openapi("CreateTicketBody");
export const ReplyBody = z
  .strictObject({ message: message.describe("The text of the message; required if there are no images.") })
  .openapi("TicketReplyBody");
export const StaffReplyBody = z
  .strictObject({
    message: message.describe("The text of the message; required if there are no images."),
    internal: z
      .boolean()
      .default(false)
      .openapi({ description: "Whether the message is an internal note, which the reporter never sees." }),
  })
  .openapi("TicketStaffReplyBody");
export const TicketStatusBody = z.strictObject({ status: status.optional() }).openapi("TicketStatusBody");

/** The fields of a message that an event contains. */
export const TicketMessageOfEvent = TicketMessage.pick({
  id: true,
  internal: true,
  asStaff: true,
  staffScope: true,
}).extend({
  ticketId: Ticket.shape.id,
  attachmentCount: z.int(),
});
