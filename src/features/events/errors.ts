import { defineError } from "#kit";

export const cursorExpired = defineError(
  410,
  "CURSOR_EXPIRED",
  "Events after this cursor are no longer kept; start again without it",
);
