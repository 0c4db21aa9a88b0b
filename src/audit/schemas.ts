import { z } from "@hono/zod-openapi";
import { line, timestamp, uuid } from "../http/fields.ts";
import { idFilter, listQuery, pageOf, search } from "../http/paging.ts";

const targetType = z.enum([
  "user",
  "invitation",
  "organization",
  "unit",
  "role",
  "ticket",
  "session",
  "subscription",
]);

export const AuditEvent = z
  .object({
    id: uuid,
    action: z.string().openapi({ example: "MEMBER_ROLES_CHANGED" }),
    actor: z
      .object({ id: uuid, email: z.string() })
      .nullable()
      .openapi({ description: "Null for nobody. Of a deleted account too: its email is never given again." }),
    actorId: uuid.nullable(),
    targetType: targetType.nullable(),
    targetId: uuid.nullable(),
    organizationId: uuid.nullable(),
    metadata: z.record(z.string(), z.unknown()),
    ip: z.string().nullable(),
    requestId: z.string().nullable(),
    time: timestamp,
  })
  .openapi("AuditEvent");
export const AuditEventPage = pageOf(AuditEvent).openapi("AuditEventPage");

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 24 * 3600 * 1000;

/** A UTC day or a moment; as an end it is exclusive, so that a whole day, or the moment itself, is within. */
const moment = (edge: "from" | "to") =>
  z
    .string()
    .superRefine((value, ctx) => {
      if (![z.iso.date(), z.iso.datetime({ offset: true })].some((form) => form.safeParse(value).success))
        ctx.addIssue({ code: "custom", message: "must be a date as 2026-01-31 or an ISO 8601 timestamp" });
    })
    .transform((value) => {
      const start = new Date(value).getTime();
      // Events are kept to the millisecond: what lies behind one begins with the next.
      if (edge === "from") return new Date(start + (/\.\d{3}\d*[1-9]/.test(value) ? 1 : 0));
      return new Date(start + (DAY.test(value) ? DAY_MS : 1));
    })
    .nullable()
    .default(null)
    .openapi({
      type: "string",
      description: `A day as \`2026-01-31\`${edge === "to" ? ", all of it," : ""} or an ISO 8601 timestamp; inclusive. Days are UTC.`,
    });

const filters = {
  search,
  action: line({ least: 1, most: 100 }).nullable().default(null),
  actorId: uuid.nullable().default(null),
  targetType: targetType.nullable().default(null),
  targetId: uuid.nullable().default(null),
  from: moment("from"),
  to: moment("to"),
  unit: idFilter,
  member: idFilter,
};
const sorted = { sorts: ["time"], usualOrder: "desc" } as const;
const platformFilters = { ...filters, organization: idFilter };
const format = {
  format: z.enum(["csv", "ndjson"]).default("csv"),
  order: z.enum(["asc", "desc"]).default("desc"),
};

export const AuditQuery = listQuery(sorted, filters);
export const PlatformAuditQuery = listQuery(sorted, platformFilters);
export const AuditExportQuery = z.strictObject({ ...format, ...filters });
export const PlatformAuditExportQuery = z.strictObject({ ...format, ...platformFilters });
