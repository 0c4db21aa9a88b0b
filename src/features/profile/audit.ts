import { z } from "@hono/zod-openapi";
import { type AuditEntry, nothing, textExample } from "#kit";

const methods = z.object({
  amr: z
    .array(textExample("pwd"))
    .describe("The authentication methods of the proof, as `amr` values of RFC 8176."),
});

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  REAUTHENTICATED: { target: "user", metadata: methods },
  PASSWORD_CHANGED: { target: "user", metadata: nothing },
} as const satisfies Record<string, AuditEntry>;
