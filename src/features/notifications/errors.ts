import { defineError } from "../../platform/errors.ts";

/**
 * The error of runtimes that limit the duration of requests: clients poll the unread count once a minute instead
 * (rules 17.14).
 */
export const notServedHere = defineError(
  501,
  "NOT_SERVED_HERE",
  "Live streams are not available at this address; poll the number of unread notifications instead",
);
