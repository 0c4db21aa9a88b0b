import { z } from "@hono/zod-openapi";
import type { AuditEntry } from "#kit";

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  AUDIT_EVENTS_EXPORTED: {
    target: "organization",
    metadata: z.object({ format: z.enum(["csv", "ndjson"]).describe("The format of the export.") }),
    isUntargeted: true,
  },
} as const satisfies Record<string, AuditEntry>;
