import { defineError } from "../../platform/errors.ts";

export const ticketClosed = defineError(409, "TICKET_CLOSED", "The ticket is closed");
