import {
  conflict,
  empty,
  forbidden,
  form,
  idempotentInSteps,
  idsOfHeader,
  json,
  jsonBody,
  noContent,
  notFound,
  Router,
  route,
  tooManyRequests,
} from "#kit";
import { ticketClosed } from "./errors.ts";
import { getTicket, listMessages, listTickets } from "./read.ts";
import { addMessage } from "./reply.ts";
import {
  PlatformTicketQuery,
  StaffReplyBody,
  Ticket,
  TicketMessage,
  TicketMessageQuery,
  TicketMessages,
  TicketPage,
  TicketPath,
  TicketStatusBody,
  TicketWithMessages,
} from "./schemas.ts";
import { changeStatus, deleteTicket } from "./status.ts";
import { asPlatformStaff } from "./viewer.ts";

const listTicketsRoute = route({
  operationId: "listTickets",
  method: "get",
  path: "/api/helpdesk/tickets",
  summary: "List all tickets",
  description:
    "`search` matches subjects and emails of reporters; `#12` also finds the ticket with that number. `X-Organization-Id` filters like `organization`.",
  access: "platform-admin",
  request: { query: PlatformTicketQuery },
  responses: { 200: json(TicketPage, "A page of tickets") },
});

const getTicketRoute = route({
  operationId: "getTicket",
  method: "get",
  path: "/api/helpdesk/tickets/{id}",
  summary: "Read any ticket",
  access: "platform-admin",
  request: { params: TicketPath },
  responses: { 200: json(TicketWithMessages, "The ticket and its newest messages") },
  errors: [notFound],
  reads: "list",
});

const listTicketMessagesRoute = route({
  operationId: "listTicketMessages",
  method: "get",
  path: "/api/helpdesk/tickets/{id}/messages",
  summary: "List earlier messages of any ticket",
  access: "platform-admin",
  request: { params: TicketPath, query: TicketMessageQuery },
  responses: { 200: json(TicketMessages, "A page of messages, oldest first") },
  errors: [notFound],
  reads: "list",
});

const replyToTicketRoute = route({
  operationId: "replyToTicket",
  method: "post",
  path: "/api/helpdesk/tickets/{id}/messages",
  summary: "Reply to any ticket, or add a note",
  description: "The first reply moves an open ticket to `IN_PROGRESS`.",
  access: "platform-admin",
  request: {
    params: TicketPath,
    body: form(StaffReplyBody, { message: "We are looking into it.", internal: false }, { or: "message" }),
  },
  responses: { 201: json(TicketMessage, "The message was added") },
  idempotent: true,
  errors: [forbidden, notFound, tooManyRequests, ticketClosed, conflict],
});

const setTicketStatusRoute = route({
  operationId: "setTicketStatus",
  method: "patch",
  path: "/api/helpdesk/tickets/{id}",
  summary: "Change the status of any ticket",
  access: "platform-admin",
  request: { params: TicketPath, body: jsonBody(TicketStatusBody, { status: "RESOLVED" }) },
  responses: { 200: json(Ticket, "The changed ticket") },
  errors: [forbidden, notFound],
});

const deleteTicketRoute = route({
  operationId: "deleteTicket",
  method: "delete",
  path: "/api/helpdesk/tickets/{id}",
  summary: "Delete a ticket",
  description: "The ticket and its images are hidden from everyone.",
  access: "platform-admin",
  request: { params: TicketPath },
  responses: { 204: empty("The ticket was deleted") },
  errors: [forbidden, notFound],
});

/** The helpdesk routes of platform administrators: every ticket, every note. */
export const platformHelpdeskRoutes = new Router("helpdesk")
  .openapi(listTicketsRoute, async (c) => {
    const named = idsOfHeader(c.req.raw.headers, "X-Organization-Id");
    return c.json(
      await listTickets(c.var.call, asPlatformStaff(c.var.call), c.req.valid("query"), named),
      200,
    );
  })
  .openapi(getTicketRoute, async (c) =>
    c.json(await getTicket(c.var.call.db, asPlatformStaff(c.var.call), c.req.valid("param").id), 200),
  )
  .openapi(listTicketMessagesRoute, async (c) => {
    const ticketId = c.req.valid("param").id;
    const viewer = asPlatformStaff(c.var.call);
    return c.json(await listMessages(c.var.call.db, viewer, ticketId, c.req.valid("query")), 200);
  })
  .openapi(replyToTicketRoute, (c) => {
    const { images, ...message } = c.req.valid("form");
    const ticket = { id: c.req.valid("param").id, viewer: asPlatformStaff(c.var.call) };
    return idempotentInSteps(c, 201, (last) => addMessage(c.var.call, ticket, message, images, last), {
      claim: images.length > 0,
    });
  })
  .openapi(setTicketStatusRoute, async (c) =>
    c.json(
      await changeStatus(
        c.var.call,
        asPlatformStaff(c.var.call),
        c.req.valid("param").id,
        c.req.valid("json").status,
      ),
      200,
    ),
  )
  .openapi(deleteTicketRoute, (c) =>
    noContent(c, deleteTicket(c.var.call, asPlatformStaff(c.var.call), c.req.valid("param").id)),
  );
