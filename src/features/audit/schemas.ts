import { z } from "@hono/zod-openapi";
import {
  deferred,
  filter,
  idFilter,
  listQuery,
  pageOf,
  peopleSearch,
  productText,
  singleLine,
  sorting,
  textExample,
  timestamp,
  uuid,
} from "#kit";
import {
  type AuditAction,
  type AuditTargetType,
  auditActions,
  type ShownMetadata,
  targetTypes,
  type UntargetedAction,
  variantsOf,
} from "#kit/inside";

const targetType = deferred(() => z.enum(targetTypes()));

const AuditEventBase = z
  .object({
    id: uuid.describe("The id of the event."),
    actor: z
      .object({
        id: uuid.describe("The id of the actor's account."),
        email: textExample("ada@example.com").describe("The email of the actor."),
      })
      .nullable()
      .openapi({
        description:
          "The user who caused the event, also if the account was deleted later; null for a service account and if no user was signed in.",
      }),
    actorId: uuid
      .nullable()
      .describe("The user or the service account that caused the event; null if no user was signed in."),
    actorType: z
      .enum(["user", "service_account"])
      .nullable()
      .describe("The kind of actor; null if no user was signed in."),
    serviceAccount: z
      .object({
        id: uuid.describe("The id of the service account."),
        name: textExample("Deploy bot").describe("The name of the service account."),
        keyId: uuid
          .nullable()
          .describe("The id of the API key that was used; null for what the product reports."),
      })
      .nullable()
      .describe(
        "The service account that caused the event, also if it was deleted later; null if the actor is a user.",
      ),
    client: z
      .object({
        id: textExample("https://claude.ai/oauth/claude-code-client-metadata").describe(
          "The client id of the app.",
        ),
        name: textExample("Claude Code").describe("The name of the app at that time."),
        grantId: uuid.describe("The id of the connected app, as in the list of connected apps."),
      })
      .nullable()
      .describe("The connected app that acted for the actor; null if the person acted without one."),
    targetId: uuid.nullable().describe("The id of the record that the event is about."),
    organizationId: uuid
      .nullable()
      .describe("The id of the event's organization; null for events of accounts and the platform."),
    ip: textExample("203.0.113.7").nullable().describe("The client IP address of the request."),
    requestId: textExample("0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e")
      .nullable()
      .describe("The `X-Request-Id` of the request."),
    time: timestamp.describe("The time of the event."),
    product: z.boolean().describe("Whether the product whose code runs elsewhere reported the event."),
    text: productText
      .nullable()
      .describe("What happened, in each language; null if the product did not report the event."),
  })
  .openapi("AuditEventBase");

type Variant = {
  [Action in AuditAction]: z.ZodObject<
    (typeof AuditEventBase)["shape"] & {
      action: z.ZodLiteral<Action>;
      targetType: AuditTarget<Action>;
      metadata: ShownMetadata<Action>;
    }
  >;
}[AuditAction];
type AuditTarget<Action extends AuditAction> = Action extends UntargetedAction
  ? z.ZodNullable<SoleTarget<Action>>
  : SoleTarget<Action>;
type SoleTarget<Action extends AuditAction> = z.ZodEnum<
  Record<AuditTargetType<Action>, AuditTargetType<Action>>
>;

function ofAction(action: AuditAction) {
  const { target, isUntargeted, ...entry } = auditActions()[action];
  // An enum with one value, because in the OpenAPI document a nullable literal would not allow null.
  const type = z.enum([target]);
  return AuditEventBase.extend({
    action: z.literal(action).describe("The audited action."),
    targetType: (isUntargeted ? type.nullable() : type).describe("The type of the target."),
    metadata: (entry.shown ?? entry.metadata).describe("Details of the event."),
  });
}

export const AuditEvent = deferred(() =>
  z.discriminatedUnion("action", variantsOf<Variant>(auditActions(), ofAction, "AuditEvent")),
).openapi("AuditEvent", {
  description:
    "`action` determines `metadata` and `targetType`. More actions may be added, and older events may lack newer fields: a client shows a general text for an unknown action.",
});
export const AuditEventPage = pageOf(AuditEvent).openapi("AuditEventPage");

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 24 * 3600 * 1000;

/**
 * Returns the schema of a UTC day or a moment. As the end of a period, the value is converted to an exclusive bound
 * that includes the whole day, or the moment itself.
 */
const moment = (edge: "from" | "to") =>
  filter(
    z
      .string()
      .superRefine((value, ctx) => {
        if (![z.iso.date(), z.iso.datetime({ offset: true })].some((form) => form.safeParse(value).success))
          ctx.addIssue({
            code: "custom",
            message: "must be a date such as 2026-01-31 or an ISO 8601 timestamp",
          });
      })
      .transform((value) => {
        const start = new Date(value).getTime();
        // Times are stored in milliseconds, so the exclusive bound after a moment is the next millisecond.
        if (edge === "from") return new Date(start + (/\.\d{3}\d*[1-9]/.test(value) ? 1 : 0));
        return new Date(start + (DAY.test(value) ? DAY_MS : 1));
      })
      .openapi({ type: "string", example: "2026-01-31" }),
    `Only events ${edge === "to" ? "until" : "since"} this time, inclusive: a UTC day such as \`2026-01-31\`, or an ISO 8601 timestamp.`,
  );

const filters = {
  search: peopleSearch,
  action: filter(singleLine({ min: 1, max: 100 }), "Only events of this action."),
  actorId: filter(uuid, "Only events of this actor."),
  targetType: filter(targetType, "Only events about this kind of record."),
  targetId: filter(uuid, "Only events about this record."),
  grantId: filter(uuid, "Only events of this connected app, by the id of its grant."),
  from: moment("from"),
  to: moment("to"),
  unit: idFilter("Only events of members of these units and their sub-units."),
  member: idFilter("Only events of these users."),
};
const sorted = { sorts: ["time"], defaultOrder: "desc" } as const;
const platformFilters = { ...filters, organization: idFilter("Only events of these organizations.") };
const { order } = sorting(sorted);
const format = {
  format: z
    .enum(["csv", "ndjson"])
    .default("csv")
    .openapi({
      param: { description: "`csv`: comma-separated values; `ndjson`: one JSON object per line." },
    }),
  order,
};

export const AuditQuery = listQuery(sorted, filters);
export const AuditHistogramQuery = z.strictObject(filters);
export const AuditHistogram = z
  .object({
    interval: z
      .enum(["minute", "hour", "day", "week", "month", "year"])
      .openapi({ example: "day" })
      .describe("The length of a bar of the histogram, in UTC. A week begins on Monday."),
    data: z
      .array(
        z.object({
          from: timestamp.describe("When the bar of the histogram begins."),
          count: z.int().openapi({ example: 12 }).describe("The number of events."),
        }),
      )
      .describe(
        "The bars of the histogram, at most 120, oldest first: from `from`, or else the first event, until `to`, or else now.",
      ),
  })
  .openapi("AuditHistogram");
export const PlatformAuditQuery = listQuery(sorted, platformFilters);
export const AuditExportQuery = z.strictObject({ ...format, ...filters });
export const PlatformAuditExportQuery = z.strictObject({ ...format, ...platformFilters });
