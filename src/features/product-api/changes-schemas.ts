import { z } from "@hono/zod-openapi";
import { deferred, textExample, uuid } from "#kit";
import type { Product } from "#kit/inside";
import { linkOf, theProduct, wordsOf } from "#kit/inside";
import { address } from "./schemas.ts";

const MAX_ENTRIES = 50;
const MAX_USERS = 500;
const MAX_AMOUNT = 1_000_000_000;
const KB = 1024;
/** The maximum length of a value that fills a placeholder. */
const MAX_VALUE = 200;

/** A name of one part of the manifest. */
const nameOf = (part: "limits" | "audit" | "events" | "notifications", example: string) =>
  deferred(() => z.enum(Object.keys((theProduct() as Product)[part])).openapi({ type: "string", example }));

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? "");
const VISIBLE = /^[!-~]{1,64}$/;
const visible = z
  .string()
  .refine((value) => VISIBLE.test(value), "must have 1 to 64 visible ASCII characters")
  .openapi({ pattern: VISIBLE.source });
const record = <Value extends z.ZodType>(value: Value, maxBytes: number) =>
  z
    .record(z.string(), value)
    .refine((given) => bytesOf(given) <= maxBytes, `must have at most ${maxBytes / KB} KB`);
const scalar = z.union(
  [z.string(), z.number(), z.boolean(), z.null()],
  "must be a string, a number, true, false or null",
);

const Reach = z
  .union(
    [z.literal("organization"), z.strictObject({ unitId: uuid }), z.strictObject({ userId: uuid })],
    "must be organization, { unitId } or { userId }",
  )
  .openapi({
    example: "organization",
    description:
      "Which unit administrators may read it: `organization` none, `{ unitId }` those of the unit, `{ userId }` those of the person's units. An audit entry they read only if its actor is, or ever was, of their units, too.",
  });
export type Reach = z.output<typeof Reach>;

const Usage = z.strictObject({
  limit: nameOf("limits", "inspections").describe("A limit of the manifest."),
  id: visible
    .openapi({ example: "4711" })
    .describe("The product's own name of what is counted: the same name counts once."),
  amount: z
    .int()
    .min(0)
    .max(MAX_AMOUNT)
    .openapi({ example: 1 })
    .describe("How much it counts from now on; 0: no more."),
  enforce: z
    .boolean()
    .default(true)
    .describe("`false` records it without judging the limit, for an import or a restored backup."),
});
const Audit = z.strictObject({
  action: nameOf("audit", "INSPECTION_DELETED").describe("An action of the manifest."),
  targetId: uuid.describe("The id of the record; of an id that is no UUID its UUIDv5."),
  // Pseudonyms replace emails (rules 4.13), and the seal of an entry allows that in values only.
  metadata: record(scalar, 4 * KB)
    .refine((given) => !Object.keys(given).some((name) => name.includes("@")), "must not have names with @")
    .default({})
    .describe(
      "Details, flat, at most 4 KB, without secrets. They fill the text: a placeholder without a value stays as it is, such as `{title}`.",
    ),
  reach: Reach.default("organization"),
});
const Event = z.strictObject({
  type: nameOf("events", "inspection.completed").describe("An event type of the manifest."),
  objectId: uuid.describe("The id of the record; of an id that is no UUID its UUIDv5."),
  object: z.record(z.string(), z.unknown()).describe("The record, with `previous` at most 20 KB."),
  previous: z.record(z.string(), z.unknown()).optional().describe("The previous values of changed fields."),
  reach: Reach.default("organization"),
});
const Notification = z.strictObject({
  type: nameOf("notifications", "INSPECTION_ASSIGNED").describe("A type of the manifest."),
  userIds: z.array(uuid).min(1).max(MAX_USERS).describe("Who gets it; who is no live member is left out."),
  data: record(scalar, 2 * KB)
    .default({})
    .describe("Fills text and link, at most 2 KB. Each placeholder is a string of at most 200 characters."),
});

const actorOf = z
  .union(
    [z.strictObject({ userId: uuid }), z.strictObject({ serviceAccountId: uuid })],
    "must be { userId }, { serviceAccountId } or null",
  )
  .nullable()
  .default(null);

export const ChangesBody = z
  .strictObject({
    organizationId: uuid.describe("The organization in which it happened."),
    actor: actorOf.openapi({
      description:
        "Who did it, by `userId` or `serviceAccountId`, not in the form of `check`: a user or service account of the organization, also up to 7 days after the end, or a platform administrator; null is the product itself.",
    }),
    ip: address.optional().describe("The address that the product saw."),
    requestId: visible
      .optional()
      .openapi({ example: "4f9a" })
      .describe("The id that the product gave the request."),
    usage: z.array(Usage).max(MAX_ENTRIES).default([]).describe("What counts towards limits."),
    audit: z.array(Audit).max(MAX_ENTRIES).default([]).describe("Entries of the audit log."),
    events: z.array(Event).max(MAX_ENTRIES).default([]).describe("Events for webhooks and lists."),
    notifications: z.array(Notification).max(MAX_ENTRIES).default([]).describe("Notifications of people."),
  })
  // Also runs if a field is wrong, so that one response names all faults.
  .superRefine(checkEntries, { when: () => true })
  .openapi("ChangesBody");
export type Changes = z.output<typeof ChangesBody>;

type Loose = { [Part in "usage" | "audit" | "events" | "notifications"]?: unknown };
type Context = z.core.$RefinementCtx;

/** What a schema of one field cannot say. Skips what is malformed. */
function checkEntries(body: Loose | null, ctx: Context): void {
  const listOf = (part: keyof Loose): Record<string, unknown>[] => {
    const list = body?.[part];
    return Array.isArray(list) ? list.map((entry) => Object(entry)) : [];
  };
  const fault = (path: (string | number)[], message: string) =>
    ctx.addIssue({ code: "custom", path, message, input: body });
  const [usage, events, notifications] = [listOf("usage"), listOf("events"), listOf("notifications")];
  const entries = usage.length + listOf("audit").length + events.length + notifications.length;
  if (entries === 0 || entries > MAX_ENTRIES) fault([], `must have 1 to ${MAX_ENTRIES} entries in all`);

  const counted = new Set<string>();
  usage.forEach(({ limit, id }, index) => {
    if (typeof limit !== "string" || typeof id !== "string") return;
    const key = `${limit} ${id}`;
    if (counted.has(key)) fault(["usage", index, "id"], "must not be repeated for the same limit");
    counted.add(key);
  });
  events.forEach(({ object, previous }, index) => {
    if (bytesOf(object) + bytesOf(previous) > 20 * KB)
      fault(["events", index, "object"], "must have at most 20 KB");
  });
  const users = notifications.flatMap(({ userIds }) => (Array.isArray(userIds) ? userIds : []));
  if (users.length > MAX_USERS) fault(["notifications"], `must name at most ${MAX_USERS} users in all`);
  notifications.forEach(({ type, data = {} }, index) => {
    if (typeof type !== "string") return;
    for (const [word, message] of placeholderFaults(type, Object(data)))
      fault(["notifications", index, "data", ...word], message);
  });
}

/** Yields what is wrong with the values that fill the text and the link of a notification. */
function* placeholderFaults(type: string, data: Record<string, unknown>): Generator<[string[], string]> {
  const product = theProduct() as Product;
  if (!Object.hasOwn(product.notifications, type)) return;
  const { text, link } = product.notifications[type] as Product["notifications"][string];
  let isComplete = true;
  for (const word of wordsOf(text.en, text.el, link)) {
    const value = Object.hasOwn(data, word) ? data[word] : undefined;
    if (typeof value === "string" && value.isWellFormed() && value.length <= MAX_VALUE) continue;
    isComplete = false;
    yield [
      [word],
      value === undefined ? "is required" : `must be a string of at most ${MAX_VALUE} characters`,
    ];
  }
  if (isComplete && linkOf(product, link, data) === null)
    yield [[], "must not lead out of the product's url"];
}

const usageShape = {
  limit: textExample("inspections").describe("The limit."),
  used: z.int().openapi({ example: 12 }).describe("How much is used now."),
  max: z.int().nullable().openapi({ example: 50 }).describe("The maximum of the plan; null if unlimited."),
};
export const Changed = z
  .object({
    usage: z.array(z.object(usageShape)).describe("The limits that `usage` names."),
    eventIds: z.array(uuid).describe("The ids of the events, in their order; empty while events are off."),
    notified: z.int().openapi({ example: 2 }).describe("How many notifications were made."),
  })
  .openapi("Changed");

export const UsagePath = z.strictObject({ id: uuid });
export const UsageList = z.array(
  z
    .object({
      ...usageShape,
      resetsAt: z.iso
        .datetime()
        .nullable()
        .openapi({ example: "2026-12-01T00:00:00.000Z" })
        .describe("When the count begins anew; null for a limit of what there is."),
    })
    .openapi("ProductUsage"),
);
