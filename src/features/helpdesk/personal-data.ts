import { afterCreated, FROM_OLDEST, jsonOfPages, NO_ID, type PersonalFile, type Queryable } from "#kit";
import { exportAttachments } from "#sql/helpdesk/attachments";
import { exportMessages } from "#sql/helpdesk/messages";
import { exportTickets } from "#sql/helpdesk/tickets";

/**
 * The number of messages per page. It is small, because a message has up to 10,000 characters, and compressing a
 * page blocks the event loop.
 */
const MESSAGES_AT_ONCE = 20;

/** Returns the messages of the user's tickets, with the metadata of their images. */
function messages(db: Queryable, userId: string) {
  return jsonOfPages({
    start: { afterTicketId: NO_ID, ...FROM_OLDEST },
    read: (window) => exportMessages.run({ userId, ...window }, db),
    after: (row) => ({ afterTicketId: row.ticketId, ...afterCreated(row) }),
    show: async (rows) => {
      const images = await exportAttachments.run({ messages: rows.map(({ id }) => id) }, db);
      const imagesOf = Map.groupBy(images, ({ messageId }) => messageId);
      return rows.map((row) => ({
        ...row,
        attachments: (imagesOf.get(row.id) ?? []).map(({ messageId: _, ...image }) => image),
      }));
    },
    rowsAtOnce: MESSAGES_AT_ONCE,
  });
}

/** What the export of an account's data contains of this feature (rules 9.6). */
export const personalData = {
  tickets: {
    text: "tickets with their messages and metadata of their images",
    read: (db, { userId }) =>
      jsonOfPages({
        start: FROM_OLDEST,
        read: (window) => exportTickets.run({ userId, ...window }, db),
        after: afterCreated,
        show: (rows) => rows,
      }),
  },
  "ticket-messages": { read: (db, { userId }) => messages(db, userId) },
} satisfies Record<string, PersonalFile>;
