import { endpoint, reply } from "../../core/api/endpoint.ts";
import { notFound, ticketClosed, tooManyRequests } from "../../platform/errors.ts";
import { createTicket } from "./create.ts";
import { downloadImage } from "./download.ts";
import { getTicket, listTickets } from "./read.ts";
import { reply as answer } from "./reply.ts";
import {
  AttachmentPath,
  CreateTicketBody,
  OwnTicketQuery,
  ReplyBody,
  TicketMessage,
  TicketPage,
  TicketPath,
  TicketWithMessages,
} from "./schemas.ts";
import { closeTicket } from "./status.ts";
import { asReporter } from "./viewer.ts";

const IMAGES =
  "Up to five images of 5 MB as `images` of a form; what they tell of camera, place and time is taken out. A message or an image is needed.";

/** What every signed-in person may do with their own reports. */
export const supportEndpoints = [
  endpoint(
    {
      operationId: "createTicket",
      method: "post",
      path: "/api/support/tickets",
      tag: "helpdesk",
      summary: "Report a problem",
      description: `${IMAGES} Five an hour. The ticket belongs to the active organization, if there is one.`,
      access: "signed-in",
      images: { or: "message" },
      body: CreateTicketBody,
      example: { subject: "The list stays empty", category: "BUG", message: "Since this morning." },
      answers: { 201: { description: "Sent", schema: TicketWithMessages } },
      refusals: [tooManyRequests],
    },
    async (call, { body }, _request, images) => reply(201, await createTicket(call, body, images)),
  ),

  endpoint(
    {
      operationId: "listOwnTickets",
      method: "get",
      path: "/api/support/tickets",
      tag: "helpdesk",
      summary: "List one's own tickets",
      description: "Of all organizations. `search` looks at subjects, and `#12` finds that number.",
      access: "signed-in",
      query: OwnTicketQuery,
      answers: { 200: { description: "A page of tickets", schema: TicketPage } },
    },
    async (call, { query }) => reply(200, await listTickets(call.app, asReporter(call), query)),
  ),

  endpoint(
    {
      operationId: "getOwnTicket",
      method: "get",
      path: "/api/support/tickets/{id}",
      tag: "helpdesk",
      summary: "Read a ticket of one's own",
      access: "signed-in",
      params: TicketPath,
      answers: { 200: { description: "The ticket and its messages", schema: TicketWithMessages } },
      refusals: [notFound],
    },
    async (call, { params }) => reply(200, await getTicket(call.app.db, asReporter(call), params.id)),
  ),

  endpoint(
    {
      operationId: "replyToOwnTicket",
      method: "post",
      path: "/api/support/tickets/{id}/messages",
      tag: "helpdesk",
      summary: "Add a message to a ticket of one's own",
      description: `${IMAGES} Thirty an hour. A resolved ticket is opened again.`,
      access: "signed-in",
      images: { or: "message" },
      params: TicketPath,
      body: ReplyBody,
      example: { message: "It works again, thank you." },
      answers: { 201: { description: "Added", schema: TicketMessage } },
      refusals: [notFound, tooManyRequests, ticketClosed],
    },
    async (call, { params, body }, _request, images) =>
      reply(201, await answer(call, asReporter(call), params.id, body, images)),
  ),

  endpoint(
    {
      operationId: "closeOwnTicket",
      method: "post",
      path: "/api/support/tickets/{id}/close",
      tag: "helpdesk",
      summary: "Close a ticket of one's own",
      description: "It takes no further messages, unless staff open it again.",
      access: "signed-in",
      params: TicketPath,
      answers: { 204: { description: "Closed" } },
      refusals: [notFound],
    },
    async (call, { params }) => {
      await closeTicket(call, params.id);
      return reply(204);
    },
  ),

  endpoint(
    {
      operationId: "downloadAttachment",
      method: "get",
      path: "/api/support/attachments/{id}",
      tag: "helpdesk",
      summary: "Download an image of a ticket",
      description:
        "For the reporter, unless it belongs to a note; for platform administrators; for staff of the active organization who hold `Helpdesk.Read`, as far as that reaches and never of a platform's note. It is always whole: a `Range` is passed over.",
      access: "signed-in",
      params: AttachmentPath,
      answers: {
        200: {
          description: "The image, to be saved",
          content: { "image/*": { example: "…" } },
        },
      },
      refusals: [notFound],
    },
    async (call, { params }, { headers }) => ({ response: await downloadImage(call, params.id, headers) }),
  ),
];
