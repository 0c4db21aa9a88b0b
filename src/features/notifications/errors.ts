import { defineError } from "../../platform/errors.ts";

/** For runtimes whose requests must not last: clients count the unread notifications once a minute instead (rules 17.14). */
export const notServedHere = defineError(
  501,
  "NOT_SERVED_HERE",
  "There is no live stream at this address: ask for the count of unread notifications instead",
);
