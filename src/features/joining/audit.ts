import { z } from "@hono/zod-openapi";
import { type AuditEntry, RoleEntry, textExample } from "#kit";

const domain = textExample("acme.com").describe("The domain of the address.");

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  USER_JOINED: {
    target: "user",
    metadata: z.object({
      via: z.enum(["domain", "request"]).describe("Whether at once, or by an approved request."),
      domain,
      roles: z.array(textExample("MEMBER")).describe("The names of the roles."),
      assignments: z.array(RoleEntry).describe("The roles."),
    }),
  },
  JOIN_REQUESTED: { target: "join_request", metadata: z.object({ domain }) },
  JOIN_REQUEST_DENIED: { target: "join_request", metadata: z.object({ domain }) },
} as const satisfies Record<string, AuditEntry>;
