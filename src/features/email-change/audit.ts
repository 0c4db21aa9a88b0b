import { z } from "@hono/zod-openapi";
import { type AuditEntry, textExample } from "#kit";
import { endedApps } from "#kit/inside";

const email = textExample("ada@example.com");
const emailChange = z.object({
  from: email.describe("The former email."),
  to: email.describe("The new email."),
});

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  EMAIL_CHANGE_REQUESTED: { target: "user", metadata: emailChange },
  EMAIL_CHANGE_CANCELED: { target: "user", metadata: emailChange.extend({ endedApps }) },
  EMAIL_CHANGED: { target: "user", metadata: emailChange },
  EMAIL_CHANGE_UNDONE: { target: "user", metadata: emailChange.extend({ endedApps }) },
} as const satisfies Record<string, AuditEntry>;
