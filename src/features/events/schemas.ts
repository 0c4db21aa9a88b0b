import { z } from "@hono/zod-openapi";
import { deferred, filter, pageSize, pathId, textExample, timestamp, uuid } from "#kit";
import { eventTypeNames, theProduct } from "#kit/inside";

const object = z.record(z.string(), z.unknown());

export const EventActor = z.object({
  type: z.enum(["user", "service_account"]).describe("Whether a user or a service account made the change."),
  id: uuid.describe("The id of the user's account or of the service account."),
});

export const EventClient = z.object({
  id: textExample("https://claude.ai/oauth/claude-code-client-metadata").describe(
    "The client id of the app.",
  ),
  name: textExample("Claude Code").describe("The name of the app at that time."),
});

/** Events of types that the product's manifest does not have any more stay readable. */
function typeOfEvent() {
  const known = z.enum([...eventTypeNames(), "webhook.test"]);
  return theProduct() === null ? known : z.union([known, z.string()]);
}

export const Event = z
  .object({
    id: uuid.describe("The id of the event, which is also the `webhook-id` of its deliveries."),
    sequence: z
      .int()
      .openapi({ example: 42 })
      .describe("The consecutive number of the event in the organization, without gaps."),
    type: deferred(typeOfEvent).openapi({ example: "unit.created" }).describe("The type of the event."),
    version: z.literal(1).describe("The version of the shape of `data`."),
    timestamp: timestamp.describe("When the change was made."),
    organizationId: uuid.describe("The organization of the event."),
    actor: EventActor.nullable().describe(
      "Who made the change; null if the service did, or if the actor is outside the caller's units.",
    ),
    client: EventClient.nullable().describe(
      "The connected app by which the actor made the change; null without one, or if the actor is not shown.",
    ),
    requestId: textExample("0190c7a0-0000-7000-8000-000000000001")
      .nullable()
      .describe("The id of the request that made the change."),
    data: z
      .object({
        object: object.describe(
          "The record after the change, or before its deletion, with the fields that its own routes return.",
        ),
        previous: object.optional().describe("The previous values of the changed fields."),
        reason: z
          .enum([
            "removed",
            "left",
            "account_deleted",
            "revoked",
            "superseded",
            "MANUAL",
            "FAILING",
            "GONE",
            "CREATOR_DELETED",
            "NO_MEMBERS",
          ])
          .optional()
          .describe("Why the record was deleted or disabled; only for event types with several reasons."),
        truncated: z
          .literal(true)
          .optional()
          .describe("Present if the record was too large. `object` then has only `id`."),
      })
      .describe("The changed record."),
  })
  .openapi("Event");

/** Returns the schema of one page of a list with cursor pagination. */
export const cursorPageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item).describe("The rows of the page."),
    cursor: textExample("ZXZlbnRzIDE").describe(
      "The cursor for the next request, to send as `after`; also present if there are no rows.",
    ),
    hasMore: z
      .boolean()
      .describe(
        "Whether more rows may exist now. A page may have fewer rows than `pageSize`, or none, although more follow.",
      ),
  });

export const EventPage = cursorPageOf(Event).openapi("EventPage");

export const after = (description: string) =>
  filter(z.string().min(1).max(500).openapi({ type: "string", maxLength: 500 }), description);

export const cursorPageSize = pageSize.openapi({ param: { description: "Maximum number of rows." } });

const MAX_TYPES = 50;
/** Returns the schema of a query parameter with some of these values; it may be repeated. */
export const someOf = <Value extends string>(values: readonly Value[]) =>
  z
    .array(z.enum(values))
    .max(MAX_TYPES)
    .openapi({ type: "array", maxItems: MAX_TYPES, items: { type: "string", enum: [...values] } });
/** The query parameter that filters events by type. */
export const typeFilter = filter(
  deferred(() => someOf(eventTypeNames())),
  "Only events of these types.",
);

export const EventQuery = z.strictObject({
  after: after(
    "The cursor of the previous page. If omitted, begins at the oldest stored event; `latest` begins at the end of the list.",
  ),
  pageSize: cursorPageSize,
  type: typeFilter,
  objectId: filter(uuid, "Only events of this record."),
});

export const EventPath = z.strictObject({ id: pathId("event") });
