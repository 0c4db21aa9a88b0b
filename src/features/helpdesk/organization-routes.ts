import { endpoint, reply } from "../../core/api/endpoint.ts";
import { notFound, ticketClosed, tooManyRequests } from "../../platform/errors.ts";
import { getTicket, listTickets } from "./read.ts";
import { reply as answer } from "./reply.ts";
import {
  StaffReplyBody,
  StaffTicketQuery,
  Ticket,
  TicketMessage,
  TicketPage,
  TicketPath,
  TicketStatusBody,
  TicketWithMessages,
} from "./schemas.ts";
import { changeStatus } from "./status.ts";
import { asOrganizationStaff } from "./viewer.ts";

const REACH =
  "Held in a unit, it reaches the tickets of reporters linked to it or a sub-unit. Notes of the organization show as far as it reaches, those of the platform to its own staff alone.";

/** The queue of an organization's own staff. */
export const organizationHelpdeskEndpoints = [
  endpoint(
    {
      operationId: "listOrganizationTickets",
      method: "get",
      path: "/api/organization/helpdesk/tickets",
      tag: "helpdesk",
      summary: "List the organization's tickets",
      description: `\`search\` looks at subjects and emails of reporters, and \`#12\` finds that number. ${REACH}`,
      access: { permission: "Helpdesk.Read" },
      query: StaffTicketQuery,
      answers: { 200: { description: "A page of tickets", schema: TicketPage } },
    },
    async (call, { query }) =>
      reply(200, await listTickets(call.app, await asOrganizationStaff(call, "Helpdesk.Read"), query)),
  ),

  endpoint(
    {
      operationId: "getOrganizationTicket",
      method: "get",
      path: "/api/organization/helpdesk/tickets/{id}",
      tag: "helpdesk",
      summary: "Read a ticket of the organization",
      description: REACH,
      access: { permission: "Helpdesk.ReadOne" },
      params: TicketPath,
      answers: { 200: { description: "The ticket and its messages", schema: TicketWithMessages } },
      refusals: [notFound],
    },
    async (call, { params }) => {
      const viewer = await asOrganizationStaff(call, "Helpdesk.ReadOne");
      return reply(200, await getTicket(call.app.db, viewer, params.id));
    },
  ),

  endpoint(
    {
      operationId: "replyToOrganizationTicket",
      method: "post",
      path: "/api/organization/helpdesk/tickets/{id}/messages",
      tag: "helpdesk",
      summary: "Answer a ticket of the organization, or note something on it",
      description: `The first answer takes an open ticket up. ${REACH}`,
      access: { permission: "Helpdesk.Reply" },
      images: { or: "message" },
      params: TicketPath,
      body: StaffReplyBody,
      example: { message: "We are looking into it.", internal: false },
      answers: { 201: { description: "Added", schema: TicketMessage } },
      refusals: [notFound, tooManyRequests, ticketClosed],
    },
    async (call, { params, body }, _request, images) => {
      const viewer = await asOrganizationStaff(call, "Helpdesk.Reply");
      return reply(201, await answer(call, viewer, params.id, body, images));
    },
  ),

  endpoint(
    {
      operationId: "setOrganizationTicketStatus",
      method: "patch",
      path: "/api/organization/helpdesk/tickets/{id}",
      tag: "helpdesk",
      summary: "Change the status of a ticket of the organization",
      description: REACH,
      access: { permission: "Helpdesk.UpdateStatus" },
      params: TicketPath,
      body: TicketStatusBody,
      example: { status: "RESOLVED" },
      answers: { 200: { description: "As it is now", schema: Ticket } },
      refusals: [notFound],
    },
    async (call, { params, body }) => {
      const viewer = await asOrganizationStaff(call, "Helpdesk.UpdateStatus");
      return reply(200, await changeStatus(call, viewer, params.id, body.status));
    },
  ),
];
