import {
  conflict,
  empty,
  forbidden,
  form,
  idempotent,
  idempotentInSteps,
  json,
  notFound,
  Router,
  raw,
  route,
  tooManyRequests,
} from "#kit";
import { insufficientScope } from "#kit/inside";
import { createTicket } from "./create.ts";
import { downloadImage } from "./download.ts";
import { ticketClosed } from "./errors.ts";
import { getTicket, listMessages, listTickets } from "./read.ts";
import { addMessage } from "./reply.ts";
import {
  AttachmentPath,
  CreateTicketBody,
  OwnTicketQuery,
  ReplyBody,
  TicketMessage,
  TicketMessageQuery,
  TicketMessages,
  TicketPage,
  TicketPath,
  TicketWithMessages,
} from "./schemas.ts";
import { closeTicket } from "./status.ts";
import { asReporter } from "./viewer.ts";

const IMAGES =
  "Up to five images of 5 MB as `images` of a form; camera, location and time metadata is removed. A message or an image is required.";

const createTicketRoute = route({
  operationId: "createTicket",
  method: "post",
  path: "/api/support/tickets",
  summary: "Report a problem",
  description: `${IMAGES} Limit: five tickets an hour. The ticket belongs to the active organization, if there is one.`,
  access: "signed-in",
  worksConfined: true,
  request: {
    body: form(
      CreateTicketBody,
      { subject: "The list stays empty", category: "BUG", message: "Since this morning." },
      { or: "message" },
    ),
  },
  responses: { 201: json(TicketWithMessages, "The ticket was created") },
  idempotent: true,
  usesActiveOrganization: true,
  errors: [tooManyRequests],
});

const listOwnTicketsRoute = route({
  operationId: "listOwnTickets",
  method: "get",
  path: "/api/support/tickets",
  summary: "List your tickets",
  description:
    "Lists your tickets of all organizations. `search` matches subjects; `#12` also finds the ticket with that number.",
  access: "signed-in",
  worksConfined: true,
  request: { query: OwnTicketQuery },
  responses: { 200: json(TicketPage, "A page of tickets") },
});

const getOwnTicketRoute = route({
  operationId: "getOwnTicket",
  method: "get",
  path: "/api/support/tickets/{id}",
  summary: "Get one of your tickets",
  access: "signed-in",
  worksConfined: true,
  request: { params: TicketPath },
  responses: { 200: json(TicketWithMessages, "The ticket and its newest messages") },
  errors: [notFound],
  reads: "list",
});

const listOwnTicketMessagesRoute = route({
  operationId: "listOwnTicketMessages",
  method: "get",
  path: "/api/support/tickets/{id}/messages",
  summary: "List earlier messages of one of your tickets",
  access: "signed-in",
  worksConfined: true,
  request: { params: TicketPath, query: TicketMessageQuery },
  responses: { 200: json(TicketMessages, "A page of messages, oldest first") },
  errors: [notFound],
  reads: "list",
});

const replyToOwnTicketRoute = route({
  operationId: "replyToOwnTicket",
  method: "post",
  path: "/api/support/tickets/{id}/messages",
  summary: "Reply to one of your tickets",
  description: `${IMAGES} Limit: thirty replies an hour. A reply reopens a resolved ticket.`,
  access: "signed-in",
  worksConfined: true,
  request: {
    params: TicketPath,
    body: form(ReplyBody, { message: "It works again, thank you." }, { or: "message" }),
  },
  responses: { 201: json(TicketMessage, "The message was added") },
  idempotent: true,
  errors: [notFound, tooManyRequests, ticketClosed, conflict],
});

const closeOwnTicketRoute = route({
  operationId: "closeOwnTicket",
  method: "post",
  path: "/api/support/tickets/{id}/close",
  summary: "Close one of your tickets",
  description: "A closed ticket accepts no messages until staff reopen it.",
  access: "signed-in",
  worksConfined: true,
  request: { params: TicketPath },
  responses: { 204: empty("The ticket was closed") },
  idempotent: true,
  errors: [notFound],
});

const IMAGE = { schema: { type: "string", format: "binary" }, example: "The bytes of the image" };

const downloadAttachmentRoute = route({
  operationId: "downloadAttachment",
  method: "get",
  path: "/api/support/attachments/{id}",
  summary: "Download an image of a ticket",
  description:
    "Returns the image to platform administrators; to the reporter, except images of internal notes; and to staff whose `Helpdesk.Read` covers the reporter, except images of platform notes. The header `Range` is ignored.",
  access: "signed-in",
  apps: true,
  appsNeed: "Helpdesk.Read",
  worksConfined: true,
  apiKeys: true,
  request: { params: AttachmentPath },
  responses: { 200: raw({ "image/*": IMAGE }, "The image as a download") },
  errors: [notFound, forbidden, insufficientScope],
});

/** The helpdesk routes of every signed-in user, for their own tickets. */
export const supportRoutes = new Router("helpdesk")
  .openapi(createTicketRoute, (c) => {
    const { images, ...ticket } = c.req.valid("form");
    return idempotentInSteps(c, 201, (last) => createTicket(c.var.call, ticket, images, last), {
      claim: images.length > 0,
    });
  })
  .openapi(listOwnTicketsRoute, async (c) =>
    c.json(await listTickets(c.var.call, asReporter(c.var.call), c.req.valid("query")), 200),
  )
  .openapi(getOwnTicketRoute, async (c) =>
    c.json(await getTicket(c.var.call.db, asReporter(c.var.call), c.req.valid("param").id), 200),
  )
  .openapi(listOwnTicketMessagesRoute, async (c) => {
    const ticketId = c.req.valid("param").id;
    const viewer = asReporter(c.var.call);
    return c.json(await listMessages(c.var.call.db, viewer, ticketId, c.req.valid("query")), 200);
  })
  .openapi(replyToOwnTicketRoute, (c) => {
    const { images, ...message } = c.req.valid("form");
    const ticket = { id: c.req.valid("param").id, viewer: asReporter(c.var.call) };
    return idempotentInSteps(c, 201, (last) => addMessage(c.var.call, ticket, message, images, last), {
      claim: images.length > 0,
    });
  })
  .openapi(closeOwnTicketRoute, (c) => idempotent(c, 204, (tx) => closeTicket(tx, c.req.valid("param").id)))
  .openapi(
    downloadAttachmentRoute,
    async (c) => await downloadImage(c.var.call, c.req.valid("param").id, c.req.raw.headers),
  );
