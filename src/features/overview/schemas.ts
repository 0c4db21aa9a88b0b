import { z } from "@hono/zod-openapi";
import {
  day,
  declared,
  deferred,
  entry,
  number,
  type OverviewPart,
  series,
  textExample,
  timestamp,
  uuid,
} from "#kit";
import { type AllOf, ticketCategory, ticketStatus } from "#kit/inside";
import { limitName } from "../../core/plans/schemas.ts";
import { AuditEvent } from "../audit/schemas.ts";

const days = number("The number of days in every series.", 30);
const max = z
  .int()
  .nullable()
  .openapi({ description: "The maximum that the plan allows; null if unlimited.", example: 50 });
const used = number("The current usage of the limit.", 48);

export const PlanUsage = z
  .object({
    key: textExample("pro").nullable().describe("The key of the plan; null if plans are not in use."),
    limits: z
      .array(
        z.object({
          limit: limitName,
          used,
          max,
          series: series("The usage of the limit at the end of each day"),
          reachedOn: day(
            "The day on which the usage reaches the limit if the trend of the last 30 days continues; null if not within a year.",
          ).nullable(),
        }),
      )
      .describe("The limits of the plan and their usage."),
  })
  .openapi("PlanUsage");

const Attention = z
  .object({
    waitingTickets: number(
      "The number of open tickets whose newest message is by the reporter and older than a day.",
    ).nullable(),
    expiringInvitations: number("The number of invitations that expire within 48 hours.").nullable(),
    membersWithoutSecondFactor: number(
      "The number of members without a second factor; null without `Members.Delete` for the whole organization.",
    ).nullable(),
    limitsNearlyReached: z
      .array(z.object({ limit: limitName, used, max: number("The maximum that the plan allows.", 50) }))
      .nullable()
      .describe("The plan limits of which at least 90 % are used."),
    trialEndsAt: timestamp.nullable().describe("When the current trial ends; null if there is none."),
    failingWebhooks: number(
      "Webhooks whose deliveries fail, or that the service disabled because they failed.",
      0,
    ).nullable(),
    expiringKeys: number("The number of API keys that expire within seven days.").nullable(),
  })
  .openapi("NeedsAttention", {
    description:
      "What needs attention. Each value is null if the caller may not read the list that it counts.",
  });

const medianFirstReplySeconds = number(
  "The median time in seconds until the first staff reply to tickets opened in the period; null if there was no reply.",
  7_800,
).nullable();

type Parts = AllOf<"overview">;
/** The fields that features declare. */
const partsOfFeatures = () =>
  Object.fromEntries(
    Object.entries(declared<OverviewPart>("overview")).map(([name, { schema, permission, text }]) => [
      name,
      schema.nullable().describe(`${text}; null without \`${permission}\`.`),
    ]),
  ) as unknown as {
    [Name in keyof Parts]: Parts[Name] extends { schema: infer Schema extends z.ZodType }
      ? z.ZodNullable<Schema>
      : never;
  };

export const OrganizationOverview = deferred(() =>
  z
    .object({
      days,
      needsAttention: Attention,
      members: z
        .object({
          total: number("The number of members whom the caller may read.", 48),
          active: z
            .array(entry)
            .nullable()
            .describe("Members with a session on each UTC day, oldest first; null without `Members.Delete`."),
          joined: series("Members who joined on each day"),
        })
        .nullable()
        .describe("Figures of members; null without `Members.Read`."),
      tickets: z
        .object({
          open: number("The number of tickets that are open or in progress."),
          opened: series("Tickets that were opened on each day"),
          resolved: series("Tickets that were resolved or closed on each day"),
          medianFirstReplySeconds,
        })
        .nullable()
        .describe("Figures of tickets; null without `Helpdesk.Read`."),
      ...partsOfFeatures(),
      signIns: z
        .object({ failed: series("Failed sign-ins of members on each day") })
        .nullable()
        .describe("Figures of sign-ins; null without `Members.Delete`."),
      plan: PlanUsage.nullable().describe(
        "The plan and the usage of its limits; null without `Billing.Read`.",
      ),
      byUnit: z
        .array(
          z.object({
            unit: z
              .object({
                id: uuid.describe("The id of the unit."),
                name: textExample("Sales").describe("The name of the unit."),
              })
              .describe("The unit of the row."),
            depth: number("The number of ancestors of the unit.", 0),
            members: number("The number of members of the unit."),
          }),
        )
        .nullable()
        .describe("The 50 units with the most members; null without `Units.Read`."),
      activity: z
        .array(AuditEvent)
        .nullable()
        .describe(
          "The newest eight events of the audit log; null without `Audit.Read` or the plan feature `audit`.",
        ),
    })
    .openapi("OrganizationOverview"),
);

export const HelpdeskOverview = z
  .object({
    days,
    opened: series("Tickets that were opened on each day"),
    resolved: series("Tickets that were resolved or closed on each day"),
    open: number("The number of tickets that are open or in progress."),
    byCategory: z
      .array(z.object({ category: ticketCategory, count: number("The number of tickets.") }))
      .describe("The tickets that are open or in progress, by category."),
    byStatus: z
      .array(z.object({ status: ticketStatus, count: number("The number of tickets.") }))
      .describe("All tickets, by status."),
    medianFirstReplySeconds,
    hours: z.array(z.array(z.int())).openapi({
      description:
        "The numbers of tickets that were opened, as an array of weekdays (Monday first) of arrays of 24 hours.",
      example: Array.from({ length: 7 }, () => Array<number>(24).fill(0)),
    }),
  })
  .openapi("HelpdeskOverview");

export const PlatformOverview = z
  .object({
    days,
    organizations: z
      .object({
        total: number("The number of all organizations."),
        suspended: number("The number of suspended organizations.", 0),
        created: series("Organizations that were created on each day"),
      })
      .describe("Figures of organizations."),
    users: z
      .object({
        total: number("The number of all accounts."),
        created: series("Accounts that were created on each day"),
      })
      .describe("Figures of accounts."),
    tickets: z
      .object({
        total: number("The number of all tickets."),
        open: number("The number of tickets that are open or in progress."),
        opened: series("Tickets that were created on each day"),
      })
      .describe("Figures of the tickets of all organizations."),
    plans: z
      .array(
        z.object({
          key: textExample("pro").describe("The key of the plan."),
          organizations: number("The number of organizations with this plan."),
        }),
      )
      .describe("The number of organizations by plan; empty if plans are not in use."),
    trialsEnding: z
      .array(
        z.object({
          organization: z
            .object({
              id: uuid.describe("The id of the organization."),
              name: textExample("Acme").describe("The name of the organization."),
            })
            .describe("The organization on trial."),
          endsAt: timestamp.describe("When the trial ends."),
        }),
      )
      .describe("The next 20 trials that end within seven days."),
    jobs: z
      .object({
        waiting: number("The number of queued and running jobs.", 0),
        failed: number("The number of jobs that failed and are not retried.", 0),
      })
      .describe("Figures of the job queue."),
  })
  .openapi("PlatformOverview");
