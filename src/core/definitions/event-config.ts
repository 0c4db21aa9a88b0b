import { z } from "zod";
import { configSection, integer } from "../../platform/environment.ts";

export type EventConfig = {
  /** Whether events are recorded. If not, the routes of events and webhooks return 404. */
  events: boolean;
  /** The number of days for which events, deliveries and attempts are kept. */
  eventRetentionDays: number;
};

/** The configuration of events. */
export const eventConfig = configSection({
  variables: {
    EVENTS: z.enum(["on", "off"]).default("on"),
    RETENTION_EVENTS_DAYS: integer(4, 365).default(30),
  },
  read: (env): EventConfig => ({
    events: env.EVENTS === "on",
    eventRetentionDays: env.RETENTION_EVENTS_DAYS,
  }),
});
