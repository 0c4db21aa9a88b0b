import { z } from "@hono/zod-openapi";
import { filter, flag, listQuery, pageOf, peopleSearch, textExample, timestamp, uuid } from "#kit";

export const SCOPES = ["off", "domains", "everyone"] as const;
export type Scope = (typeof SCOPES)[number];
const scope = z
  .enum(SCOPES)
  .describe(
    "Who acts in the organization only by its own sign-in: nobody, members with an address in its domains or an identity there, or every member. Never break-glass members and service accounts.",
  );
const requireTwoFactor = z
  .boolean()
  .describe(
    "Whether acting in the organization needs a second factor of the account, or one that a connection is trusted with.",
  );

export const MAX_BREAK_GLASS = 5;

export const SignOnPolicy = z
  .object({
    scope,
    requireTwoFactor,
    announced: z
      .object({
        scope,
        requireTwoFactor,
        enforceFrom: timestamp.describe("From when on this is the policy."),
      })
      .nullable()
      .describe("What has been announced; null if nothing."),
    maxSessionHours: z
      .int()
      .nullable()
      .describe(
        "For how many hours a proof of identity counts in the organization; null for the service's own times.",
      ),
    reauthenticationMinutes: z
      .int()
      .nullable()
      .describe(
        "How old a proof may be for writes of authority and billing here; null for the service's own times.",
      ),
    breakGlass: z
      .array(
        z.object({
          userId: uuid.describe("The id of the member's account."),
          email: textExample("ada@example.com").describe("The email of the account."),
          usable: z
            .boolean()
            .describe(
              "Whether the member can act alone: with the role `ORG_ADMIN` for the whole organization, not by a group, and a second factor or passkey.",
            ),
        }),
      )
      .describe("The members who act by their own proofs whatever the scope."),
    version: z.int().describe("The number of changes. Sent with a change, it must be the present one."),
    updatedAt: timestamp.nullable().describe("When the policy was last changed; null if never."),
  })
  .openapi("SignOnPolicy");

export const UpdateSignOnPolicyBody = z
  .strictObject({
    scope: scope.optional(),
    requireTwoFactor: requireTwoFactor.optional(),
    enforceFrom: z.iso
      .datetime({ offset: true })
      .optional()
      .openapi({ example: "2026-02-07T09:00:00Z" })
      .describe(
        "From when on a tighter policy holds: at most 90 days ahead; by default in 7 days. Within a minute, now.",
      ),
    maxSessionHours: z
      .int()
      .min(1)
      .max(720)
      .nullable()
      .optional()
      .describe("1 to 720 hours; null for the service's own times."),
    reauthenticationMinutes: z
      .int()
      .min(5)
      .max(1440)
      .nullable()
      .optional()
      .describe("5 to 1,440 minutes; null for the service's own times."),
    breakGlassUserIds: z
      .array(uuid)
      .max(MAX_BREAK_GLASS)
      .optional()
      .describe("The break-glass members, at most 5; needs `SingleSignOn.Bypass`."),
    version: z
      .int()
      .optional()
      .describe("The version that the change is based on; another one is 409 `CONFLICT`."),
  })
  .openapi("UpdateSignOnPolicyBody");

export const REASONS = ["no-identity", "outside-domains", "no-second-factor"] as const;
export const AffectedMember = z
  .object({
    userId: uuid.describe("The id of the member's account."),
    email: textExample("ada@example.com").describe("The email of the account."),
    firstName: textExample("Ada").describe("The first name of the account."),
    lastName: textExample("Lovelace").describe("The last name of the account."),
    reasons: z
      .array(z.enum(REASONS))
      .describe(
        "`no-identity`: has not signed in by a connection yet. `outside-domains`: cannot, because the address lies in no verified domain. `no-second-factor`: has none.",
      ),
  })
  .openapi("AffectedMember");
export const AffectedMemberPage = pageOf(AffectedMember).openapi("AffectedMemberPage");
export const AffectedQuery = listQuery(
  { sorts: ["lastName", "email"], defaultOrder: "asc" },
  {
    search: peopleSearch,
    scope: filter(
      z.enum(SCOPES),
      "The scope to look at; by default what is announced, otherwise what holds.",
    ),
    requireTwoFactor: filter(flag, "Whether to look at a required second factor; by default likewise."),
    reason: filter(
      z
        .array(z.enum(REASONS))
        .max(REASONS.length)
        .openapi({
          type: "array",
          items: { type: "string", enum: [...REASONS] },
          maxItems: REASONS.length,
        }),
      "Only members with one of these reasons. May be repeated.",
    ),
  },
);
