import type { z } from "zod";
import {
  exactlyOne,
  filteredUnits,
  intersection,
  list,
  notFound,
  organizationScope,
  type Queryable,
  type Service,
} from "#kit";
import * as attachments from "#sql/helpdesk/attachments";
import * as messages from "#sql/helpdesk/messages";
import * as tickets from "#sql/helpdesk/tickets";
import { findPeopleByEmail, findUsersByEmail } from "../../core/accounts/search-by-email.ts";
import { presentMessage, presentTicket, presentTicketEvent } from "./present.ts";
import type {
  OwnTicketQuery,
  PlatformTicketQuery,
  TicketMessage,
  TicketMessageQuery,
  TicketMessages,
  TicketWithMessages,
} from "./schemas.ts";
import type { Viewer } from "./viewer.ts";

type Query = z.output<typeof OwnTicketQuery> & Partial<z.output<typeof PlatformTicketQuery>>;

/**
 * Returns a page of the tickets that a viewer may see. `named` are the organizations in a platform administrator's
 * header `X-Organization-Id`.
 */
export async function listTickets(
  service: Service,
  { scope, sees }: Viewer,
  query: Query,
  named: string[] | null = null,
) {
  const { search, unit = null, member = null, organization = null } = query;
  const { reporterId, organizationId } = scope;
  const one = organizationId === null ? null : [organizationId];
  const organizations = [one, organization, named].reduce(intersection, null);
  const filters = {
    ...{ reporterId, organizations, member, number: numberIn(search) },
    units: await filteredUnits(one, scope, unit, service.db.lists),
    found: await reportersFound(service, search, reporterId, organizations),
  };
  return list(tickets.tickets, service, { ...query, ...sees, ...filters }, presentTicket);
}

/**
 * Returns the ids of people whose email matches the search, to find their tickets. In an organization, these are
 * its present and former members, because only members report tickets there. Empty for the caller's own tickets,
 * which all have the same reporter.
 */
async function reportersFound(
  service: Service,
  search: string | null,
  reporterId: string | null,
  organizations: string[] | null,
) {
  if (search === null) return null;
  if (reporterId !== null) return [];
  const { organizationId } = organizationScope(organizations);
  return organizationId === null
    ? findUsersByEmail(service, search, { withDeleted: false })
    : findPeopleByEmail(service, search, organizationId);
}

/** Returns the ticket number in a search such as `#12`; null for any other search, and for more than nine digits. */
function numberIn(search: string | null): number | null {
  const number = Number(/^#(\d{1,9})$/.exec(search ?? "")?.[1] ?? Number.NaN);
  return Number.isNaN(number) ? null : number;
}

/** Returns one ticket, without its messages. @throws notFound */
export async function showTicket(db: Queryable, { scope, sees }: Viewer, id: string) {
  const [row] = await tickets.findTicket.run({ id, ...scope, ...sees }, db);
  if (row === undefined) throw notFound();
  return presentTicket(row);
}

/** The number of newest messages that are returned together with their ticket (rules 20.2). */
const MAX_WITH_TICKET = 100;

/** The number of newest status changes that are returned together with their ticket. */
const MAX_EVENTS = 100;

/** Returns one ticket with the newest messages that the viewer may read. @throws notFound */
export async function getTicket(
  db: TicketDatabase,
  viewer: Viewer,
  ticketId: string,
): Promise<z.output<typeof TicketWithMessages>> {
  const ticket = await showTicket(db, viewer, ticketId);
  const { data, earlierMessageCount } = await messagesOf(db, viewer, { ticketId, max: MAX_WITH_TICKET });
  const events = await tickets.listTicketEvents.run({ ticketId, max: MAX_EVENTS }, db);
  return { ...ticket, messages: data, earlierMessageCount, events: events.map(presentTicketEvent) };
}

/**
 * Returns the newest messages of a ticket that the viewer may read, or the newest before a given message.
 * @throws notFound, also for a message of another ticket, or one that the viewer may not read
 */
export async function listMessages(
  db: TicketDatabase,
  viewer: Viewer,
  ticketId: string,
  { before, pageSize: max }: z.output<typeof TicketMessageQuery>,
): Promise<z.output<typeof TicketMessages>> {
  await showTicket(db, viewer, ticketId);
  if (before === null) return messagesOf(db, viewer, { ticketId, max });
  const [found] = await rowsOf(db, viewer, { ticketId, messageId: before, max: 1 });
  if (found === undefined) throw notFound();
  return messagesOf(db, viewer, { ticketId, max, beforeId: found.id, beforeTime: found.createdAt });
}

/** Returns a message that the viewer has just written. */
export async function showMessage(
  db: Queryable,
  viewer: Viewer,
  ids: { ticketId: string; messageId: string },
): Promise<z.output<typeof TicketMessage>> {
  return exactlyOne((await messagesOf(db, viewer, { ...ids, max: 1 })).data);
}

/**
 * A database for reading tickets: a transaction, or the pools of a request. With pools, slow list queries use their
 * own pool.
 */
type TicketDatabase = Queryable & { readonly lists?: Queryable };

type Selection = {
  ticketId: string;
  max: number;
  messageId?: string;
  beforeId?: string;
  beforeTime?: Date;
};

const rowsOf = (db: TicketDatabase, { sees }: Viewer, selected: Selection) =>
  messages.listMessages.run({ ...ANY_MESSAGE, ...selected, ...sees }, db.lists ?? db);

const ANY_MESSAGE = { messageId: null, beforeId: null, beforeTime: null };

async function messagesOf(
  db: TicketDatabase,
  viewer: Viewer,
  selected: Selection,
): Promise<z.output<typeof TicketMessages>> {
  const rows = await rowsOf(db, viewer, selected);
  const images =
    rows.length === 0
      ? []
      : await attachments.listAttachments.run({ messages: rows.map((row) => row.id) }, db);
  const byMessage = Map.groupBy(images, ({ messageId }) => messageId);
  return {
    data: rows.map((row) => presentMessage(row, byMessage.get(row.id) ?? [])),
    earlierMessageCount: (rows[0]?.total ?? 0) - rows.length,
  };
}
