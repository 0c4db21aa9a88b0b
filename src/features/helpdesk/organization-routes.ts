import {
  conflict,
  form,
  idempotentInSteps,
  json,
  jsonBody,
  notFound,
  Router,
  route,
  tooManyRequests,
} from "#kit";
import { ticketClosed } from "./errors.ts";
import { getTicket, listMessages, listTickets } from "./read.ts";
import { addMessage } from "./reply.ts";
import {
  StaffReplyBody,
  StaffTicketQuery,
  Ticket,
  TicketMessage,
  TicketMessageQuery,
  TicketMessages,
  TicketPage,
  TicketPath,
  TicketStatusBody,
  TicketWithMessages,
} from "./schemas.ts";
import { changeStatus } from "./status.ts";
import { asOrganizationStaff } from "./viewer.ts";

const REACH =
  "If the caller holds the permission only in units, it covers only tickets of reporters in these units and their sub-units, and only notes by members of them. Notes of platform staff are shown only to platform administrators.";

const listOrganizationTicketsRoute = route({
  operationId: "listOrganizationTickets",
  method: "get",
  path: "/api/organization/helpdesk/tickets",
  summary: "List the organization's tickets",
  description: `\`search\` matches subjects and emails of reporters; \`#12\` finds that number. ${REACH}`,
  access: { permission: "Helpdesk.Read" },
  request: { query: StaffTicketQuery },
  responses: { 200: json(TicketPage, "A page of tickets") },
});

const getOrganizationTicketRoute = route({
  operationId: "getOrganizationTicket",
  method: "get",
  path: "/api/organization/helpdesk/tickets/{id}",
  summary: "Read a ticket of the organization",
  description: REACH,
  access: { permission: "Helpdesk.ReadOne" },
  request: { params: TicketPath },
  responses: { 200: json(TicketWithMessages, "The ticket and its newest messages") },
  errors: [notFound],
  reads: "list",
});

const listOrganizationTicketMessagesRoute = route({
  operationId: "listOrganizationTicketMessages",
  method: "get",
  path: "/api/organization/helpdesk/tickets/{id}/messages",
  summary: "List earlier messages of a ticket of the organization",
  description: REACH,
  access: { permission: "Helpdesk.ReadOne" },
  request: { params: TicketPath, query: TicketMessageQuery },
  responses: { 200: json(TicketMessages, "A page of messages, oldest first") },
  errors: [notFound],
  reads: "list",
});

const replyToOrganizationTicketRoute = route({
  operationId: "replyToOrganizationTicket",
  method: "post",
  path: "/api/organization/helpdesk/tickets/{id}/messages",
  summary: "Reply to a ticket of the organization, or add a note",
  description: `The first reply moves an open ticket to \`IN_PROGRESS\`. ${REACH}`,
  access: { permission: "Helpdesk.Reply" },
  apps: true,
  apiKeys: false,
  request: {
    params: TicketPath,
    body: form(StaffReplyBody, { message: "We are looking into it.", internal: false }, { or: "message" }),
  },
  responses: { 201: json(TicketMessage, "The message was added") },
  idempotent: true,
  errors: [notFound, tooManyRequests, ticketClosed, conflict],
});

const setOrganizationTicketStatusRoute = route({
  operationId: "setOrganizationTicketStatus",
  method: "patch",
  path: "/api/organization/helpdesk/tickets/{id}",
  summary: "Change the status of a ticket of the organization",
  description: REACH,
  access: { permission: "Helpdesk.UpdateStatus" },
  apps: true,
  request: { params: TicketPath, body: jsonBody(TicketStatusBody, { status: "RESOLVED" }) },
  responses: { 200: json(Ticket, "The changed ticket") },
  errors: [notFound],
});

/** The helpdesk routes of an organization's staff. */
export const organizationHelpdeskRoutes = new Router("helpdesk")
  .openapi(listOrganizationTicketsRoute, async (c) =>
    c.json(
      await listTickets(
        c.var.call,
        await asOrganizationStaff(c.var.call, "Helpdesk.Read", null),
        c.req.valid("query"),
      ),
      200,
    ),
  )
  .openapi(getOrganizationTicketRoute, async (c) => {
    const ticketId = c.req.valid("param").id;
    const viewer = await asOrganizationStaff(c.var.call, "Helpdesk.ReadOne", { ticketId });
    return c.json(await getTicket(c.var.call.db, viewer, ticketId), 200);
  })
  .openapi(listOrganizationTicketMessagesRoute, async (c) => {
    const ticketId = c.req.valid("param").id;
    const viewer = await asOrganizationStaff(c.var.call, "Helpdesk.ReadOne", { ticketId });
    return c.json(await listMessages(c.var.call.db, viewer, ticketId, c.req.valid("query")), 200);
  })
  .openapi(replyToOrganizationTicketRoute, async (c) => {
    const { images, ...message } = c.req.valid("form");
    const { id } = c.req.valid("param");
    const ticket = { id, viewer: await asOrganizationStaff(c.var.call, "Helpdesk.Reply", { ticketId: id }) };
    return idempotentInSteps(c, 201, (last) => addMessage(c.var.call, ticket, message, images, last), {
      claim: images.length > 0,
    });
  })
  .openapi(setOrganizationTicketStatusRoute, async (c) => {
    const ticketId = c.req.valid("param").id;
    const viewer = await asOrganizationStaff(c.var.call, "Helpdesk.UpdateStatus", { ticketId });
    return c.json(await changeStatus(c.var.call, viewer, ticketId, c.req.valid("json").status), 200);
  });
