import { defineError } from "#kit";

/**
 * The error for runtimes that limit the duration of requests, and so cannot keep a stream open. Clients then poll
 * the unread count once a minute (rules 17.14).
 */
export const notServedHere = defineError(
  501,
  "NOT_SERVED_HERE",
  "Live streams are not available at this address; poll the number of unread notifications instead",
);
