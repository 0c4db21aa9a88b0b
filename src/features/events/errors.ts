import { type App, defineError, notFound } from "#kit";

/** Rejects a request if the event feature is switched off. @throws notFound */
export function assertEventsOn(_headers: Headers, { config }: App): void {
  if (!config.events) throw notFound();
}

export const cursorExpired = defineError(
  410,
  "CURSOR_EXPIRED",
  "Events after this cursor are no longer kept; start again without it",
);
