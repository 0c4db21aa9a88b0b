import { z } from "@hono/zod-openapi";
import { textExample, timestamp, uuid } from "../../core/definitions/fields.ts";
import { ticketCategory, ticketStatus } from "../../core/effects/entries.ts";
import { limitName } from "../../core/plans/schemas.ts";
import { AuditEvent } from "../audit/schemas.ts";

const number = (description: string, example = 3) => z.int().openapi({ description, example });
const day = (description: string) => z.iso.date().openapi({ description, example: "2026-01-31" });
const entry = z
  .object({ day: day("A day in the requested time zone."), count: number("The number on that day.") })
  .openapi("DayCount");
const series = (description: string) => z.array(entry).describe(`${description}, oldest first.`);
const days = number("The number of days of every series.", 30);
const max = z.int().nullable().openapi({ description: "The maximum; null if unlimited.", example: 50 });
const used = number("The current use.", 48);

export const PlanUsage = z
  .object({
    key: textExample("pro").nullable().describe("The key of the plan; null if plans are not in use."),
    limits: z
      .array(
        z.object({
          limit: limitName,
          used,
          max,
          series: series("The use at the end of each day"),
          reachedOn: day(
            "When the trend of the last 30 days reaches the limit; null if not within a year.",
          ).nullable(),
        }),
      )
      .describe("The limits and their use."),
  })
  .openapi("PlanUsage");

const Attention = z
  .object({
    waitingTickets: number("Open tickets whose newest message is the reporter's, for over a day.").nullable(),
    expiringInvitations: number("Invitations that end within 48 hours.").nullable(),
    membersWithoutSecondFactor: number(
      "Members without a second factor; needs `Members.Delete` for the whole organization.",
    ).nullable(),
    limitsNearlyReached: z
      .array(z.object({ limit: limitName, used, max: number("The maximum.", 50) }))
      .nullable()
      .describe("Limits of which 90 % or more are used."),
    trialEndsAt: timestamp.nullable().describe("When the trial in effect ends."),
    failingWebhooks: number("Webhooks whose deliveries fail.", 0).nullable(),
    expiringKeys: number("API keys that end within seven days.").nullable(),
  })
  .openapi("NeedsAttention", { description: "Each is null if the caller may not read its list." });

const medianFirstReplySeconds = number(
  "The median time until the first reply of staff, of tickets opened in the period; null without one.",
  7_800,
).nullable();

export const OrganizationOverview = z
  .object({
    days,
    needsAttention: Attention,
    members: z
      .object({
        total: number("All members in reach.", 48),
        active: series("Members with a session, by UTC day; null without `Members.Delete`").nullable(),
        joined: series("Members who joined"),
      })
      .nullable()
      .describe("Needs `Members.Read`."),
    tickets: z
      .object({
        open: number("Tickets that are open or in progress."),
        opened: series("Tickets that were opened"),
        resolved: series("Tickets that were resolved or closed"),
        medianFirstReplySeconds,
      })
      .nullable()
      .describe("Needs `Helpdesk.Read`."),
    todos: z
      .object({
        open: number("Todos that are not completed."),
        created: series("Todos that were created"),
        completed: series("Todos that were completed"),
      })
      .nullable()
      .describe("Needs `Todos.ReadAny`."),
    signIns: z
      .object({ failed: series("Failed sign-ins of members") })
      .nullable()
      .describe("Needs `Members.Delete`."),
    plan: PlanUsage.nullable().describe("Needs `Billing.Read`."),
    byUnit: z
      .array(
        z.object({
          unit: z
            .object({
              id: uuid.describe("The id of the unit."),
              name: textExample("Sales").describe("The name of the unit."),
            })
            .describe("The unit."),
          depth: number("The number of ancestors of the unit.", 0),
          members: number("The number of members linked to the unit."),
        }),
      )
      .nullable()
      .describe("The 50 units with the most members. Needs `Units.Read`."),
    activity: z
      .array(AuditEvent)
      .nullable()
      .describe("The newest eight events of the audit log. Needs `Audit.Read` and the plan's feature."),
  })
  .openapi("OrganizationOverview");

export const HelpdeskOverview = z
  .object({
    days,
    opened: series("Tickets that were opened"),
    resolved: series("Tickets that were resolved or closed"),
    open: number("Tickets that are open or in progress."),
    byCategory: z
      .array(z.object({ category: ticketCategory, count: number("The number of tickets.") }))
      .describe("Tickets that are open or in progress."),
    byStatus: z
      .array(z.object({ status: ticketStatus, count: number("The number of tickets.") }))
      .describe("All tickets."),
    medianFirstReplySeconds,
    hours: z.array(z.array(z.int())).openapi({
      description: "Tickets that were opened, by day of the week (Monday first) and hour.",
      example: Array.from({ length: 7 }, () => Array<number>(24).fill(0)),
    }),
  })
  .openapi("HelpdeskOverview");

export const PlatformOverview = z
  .object({
    days,
    organizations: z
      .object({
        total: number("All organizations."),
        suspended: number("Suspended organizations.", 0),
        created: series("New organizations"),
      })
      .describe("Organizations."),
    users: z
      .object({ total: number("All accounts."), created: series("New accounts") })
      .describe("Accounts."),
    tickets: z
      .object({
        total: number("All tickets."),
        open: number("Tickets that are open or in progress."),
        opened: series("New tickets"),
      })
      .describe("Tickets of all organizations."),
    plans: z
      .array(
        z.object({
          key: textExample("pro").describe("The key of the plan."),
          organizations: number("The number of organizations that have it."),
        }),
      )
      .describe("The plans of the organizations; empty if plans are not in use."),
    trialsEnding: z
      .array(
        z.object({
          organization: z
            .object({
              id: uuid.describe("The id of the organization."),
              name: textExample("Acme").describe("The name of the organization."),
            })
            .describe("The organization."),
          endsAt: timestamp.describe("When the trial ends."),
        }),
      )
      .describe("The next 20 trials that end within seven days."),
    jobs: z
      .object({
        waiting: number("Jobs that wait or run.", 0),
        failed: number("Jobs that failed for good.", 0),
      })
      .describe("Jobs of the queue."),
  })
  .openapi("PlatformOverview");
