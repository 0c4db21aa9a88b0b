import { defineError } from "#kit";

/** The error for runtimes without UDP. A job of another instance checks the domain within ten minutes. */
export const checkedElsewhere = defineError(
  501,
  "NOT_SERVED_HERE",
  "Domains cannot be checked at this address; new ones are checked every ten minutes by themselves",
);
