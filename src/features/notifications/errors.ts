import { defineError } from "../../platform/errors.ts";

/** For runtimes whose requests must not last: clients count the unread notifications once a minute instead (rules 17.14). */
export const notServedHere = defineError(
  501,
  "NOT_SERVED_HERE",
  "Live streams are not available at this address; poll the number of unread notifications instead",
);
