import { z } from "@hono/zod-openapi";
import { textExample, timestamp, uuid } from "#kit";

const aboutDomain = z.object({
  organizationId: uuid.describe("The organization of the domain."),
  domain: textExample("acme.com").describe("The name of the domain."),
});

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  DOMAIN_MISSING: aboutDomain.extend({
    lapsesAt: timestamp.describe("When the domain lapses, if its record stays absent."),
  }),
  DOMAIN_LAPSED: aboutDomain,
} as const satisfies Record<string, z.ZodObject>;
