import { defineError, sizeLimitReached } from "#kit";
import { MAX_MESSAGES } from "./limits.ts";

export const ticketClosed = defineError(409, "TICKET_CLOSED", "The ticket is closed");

/** Creates the error for a ticket that has the maximum number of messages. */
export const ticketFull = () =>
  sizeLimitReached(`A ticket may have at most ${MAX_MESSAGES} messages; open a new ticket`, MAX_MESSAGES);
