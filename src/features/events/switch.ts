import type { App } from "../../core/context.ts";
import { notFound } from "../../platform/errors.ts";

/** Refuses a request if events are off. @throws notFound */
export function assertEventsOn(_headers: Headers, { config }: App): void {
  if (!config.events) throw notFound();
}
