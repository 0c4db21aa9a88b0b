import { type App, notFound } from "#kit";

/** Rejects a request if the event feature is switched off. @throws notFound */
export function assertEventsOn(_headers: Headers, { config }: App): void {
  if (!config.events) throw notFound();
}
