import { endpoint, reply } from "../../core/api/endpoint.ts";
import { idsOfHeader } from "../../core/api/id-headers.ts";
import { forbidden, notFound, ticketClosed, tooManyRequests } from "../../platform/errors.ts";
import { getTicket, listTickets } from "./read.ts";
import { reply as answer } from "./reply.ts";
import {
  PlatformTicketQuery,
  StaffReplyBody,
  Ticket,
  TicketMessage,
  TicketPage,
  TicketPath,
  TicketStatusBody,
  TicketWithMessages,
} from "./schemas.ts";
import { changeStatus, deleteTicket } from "./status.ts";
import { asPlatformStaff } from "./viewer.ts";

/** The queue of the platform: every ticket, every note. */
export const platformHelpdeskEndpoints = [
  endpoint(
    {
      operationId: "listTickets",
      method: "get",
      path: "/api/helpdesk/tickets",
      tag: "helpdesk",
      summary: "List all tickets",
      description:
        "`search` looks at subjects and emails of reporters, and `#12` finds that number. `X-Organization-Id` narrows, as `organization` does.",
      access: "platform-admin",
      query: PlatformTicketQuery,
      answers: { 200: { description: "A page of tickets", schema: TicketPage } },
    },
    async (call, { query }, request) => {
      const named = idsOfHeader(request.headers, "X-Organization-Id");
      return reply(200, await listTickets(call.app, asPlatformStaff(call), query, named));
    },
  ),

  endpoint(
    {
      operationId: "getTicket",
      method: "get",
      path: "/api/helpdesk/tickets/{id}",
      tag: "helpdesk",
      summary: "Read any ticket",
      access: "platform-admin",
      params: TicketPath,
      answers: { 200: { description: "The ticket and its messages", schema: TicketWithMessages } },
      refusals: [notFound],
    },
    async (call, { params }) => reply(200, await getTicket(call.app.db, asPlatformStaff(call), params.id)),
  ),

  endpoint(
    {
      operationId: "replyToTicket",
      method: "post",
      path: "/api/helpdesk/tickets/{id}/messages",
      tag: "helpdesk",
      summary: "Answer any ticket, or note something on it",
      description: "The first answer takes an open ticket up.",
      access: "platform-admin",
      images: { or: "message" },
      params: TicketPath,
      body: StaffReplyBody,
      example: { message: "We are looking into it.", internal: false },
      answers: { 201: { description: "Added", schema: TicketMessage } },
      refusals: [forbidden, notFound, tooManyRequests, ticketClosed],
    },
    async (call, { params, body }, _request, images) =>
      reply(201, await answer(call, asPlatformStaff(call), params.id, body, images)),
  ),

  endpoint(
    {
      operationId: "setTicketStatus",
      method: "patch",
      path: "/api/helpdesk/tickets/{id}",
      tag: "helpdesk",
      summary: "Change the status of any ticket",
      access: "platform-admin",
      params: TicketPath,
      body: TicketStatusBody,
      example: { status: "RESOLVED" },
      answers: { 200: { description: "As it is now", schema: Ticket } },
      refusals: [forbidden, notFound],
    },
    async (call, { params, body }) =>
      reply(200, await changeStatus(call, asPlatformStaff(call), params.id, body.status)),
  ),

  endpoint(
    {
      operationId: "deleteTicket",
      method: "delete",
      path: "/api/helpdesk/tickets/{id}",
      tag: "helpdesk",
      summary: "Delete a ticket",
      description: "It is out of sight for everybody, its images too.",
      access: "platform-admin",
      params: TicketPath,
      answers: { 204: { description: "Deleted" } },
      refusals: [forbidden, notFound],
    },
    async (call, { params }) => {
      await deleteTicket(call, asPlatformStaff(call), params.id);
      return reply(204);
    },
  ),
];
