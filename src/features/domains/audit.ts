import { z } from "@hono/zod-openapi";
import { type AuditEntry, changeOf, RoleEntry, textExample, uuid } from "#kit";
import { bySetupLink } from "#kit/inside";

const aboutDomain = z.object({ domain: textExample("acme.com").describe("The name of the domain.") });
const bySomebody = aboutDomain.extend(bySetupLink);
const change = changeOf(
  z.object({
    connectionId: uuid.nullable().describe("The connection by which people of the domain sign in."),
    join: textExample("request").describe("Whether people of the domain may join."),
    joinAssignments: z.array(RoleEntry).describe("The roles of people who join."),
  }),
);

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  DOMAIN_ADDED: { target: "domain", metadata: bySomebody },
  DOMAIN_VERIFIED: { target: "domain", metadata: bySomebody },
  DOMAIN_LAPSED: { target: "domain", metadata: aboutDomain },
  DOMAIN_UPDATED: { target: "domain", metadata: aboutDomain.extend(change.shape) },
  DOMAIN_REMOVED: { target: "domain", metadata: aboutDomain },
} as const satisfies Record<string, AuditEntry>;
