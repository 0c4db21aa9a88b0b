import { z } from "@hono/zod-openapi";
import { search, textExample, timestamp, uuid } from "#kit";
import { EXAMPLES } from "#kit/inside";
import { appResource, Client, scopeName } from "../schemas.ts";

const MAX_DAYS = 365;
/** A token of a request with the longest query is shorter. */
const MAX_TOKEN = 65_536;

export const BeginBody = z
  .strictObject({
    query: z
      .string()
      .min(1)
      .max(4_096)
      .openapi({ example: "response_type=code&client_id=0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e" })
      .describe("The query of the address that the app opened, as it is."),
  })
  .openapi("BeginAuthorizationBody");

export const AuthorizationRequest = z
  .object({
    requestToken: textExample("eyJhbGciOiJIUzI1NiJ9.e30.c2ln").describe(
      "What is shown here, for the decision. Approves once, in this session.",
    ),
    expiresAt: timestamp.describe("When `requestToken` stops working: after ten minutes."),
    client: Client.describe("The app that asks."),
    redirectHost: textExample("claude.ai").describe("The host that gets access; show it."),
    loopback: z.boolean().describe("Whether the app runs on the computer of the person."),
    otherSite: z
      .boolean()
      .describe(
        "Whether access goes to another site than the one that describes the app; never for `loopback`.",
      ),
    resource: appResource,
    scopes: z
      .array(
        z.object({
          name: textExample(EXAMPLES.scope).describe("The name of the scope."),
          description: textExample(EXAMPLES.scopeText).describe("What it lets the app do."),
          write: z.boolean().describe("Whether the app may change something by it."),
        }),
      )
      .describe("What the app asks for; the person may choose less."),
    maxDays: z.int().openapi({ example: 90 }).describe("The most days that may be chosen."),
    days: z.int().openapi({ example: 30 }).describe("The days to propose."),
    organizations: z
      .array(
        z.object({
          id: uuid.describe("The organization."),
          name: textExample("Acme").describe("Its name."),
          current: z.boolean().describe("Whether it is the active organization of the session."),
          allowed: z.boolean().describe("Whether the app can be approved there."),
          reason: z
            .enum(["off", "not-approved", "suspended", "other-organization", "session"])
            .nullable()
            .describe(
              "Why not: nobody connects apps there, this one is not approved, the organization is suspended, another one registered the app, or the session may not act there; null if it is allowed.",
            ),
          scopes: z
            .array(textExample(EXAMPLES.scope))
            .describe("Those of `scopes` of which the person holds something there."),
        }),
      )
      .describe("The organizations of the person, by name."),
  })
  .openapi("AuthorizationRequest");

export const UnitOptionsQuery = z.strictObject({
  organizationId: uuid.openapi({ param: { description: "An organization of the caller." } }),
  search,
});
export const UnitOptions = z.array(
  z
    .object({
      id: uuid.describe("The unit."),
      name: textExample("Lisbon").describe("Its name."),
      path: textExample("Europe / Lisbon").describe(
        "The names of the units from the top of the tree to this one.",
      ),
    })
    .openapi("UnitOfAuthorization"),
);

const requestToken = z
  .string()
  .min(1)
  .max(MAX_TOKEN)
  .openapi({ example: "eyJhbGciOiJIUzI1NiJ9.e30.c2ln" })
  .describe("The token of the request that was shown.");

export const ApproveBody = z
  .strictObject({
    requestToken,
    organizationId: uuid.describe("Where the app may act."),
    unitId: uuid.nullish().describe("Limits the app to this unit and those below it; null: no limit."),
    scopes: z.array(scopeName).min(1).max(50).describe("What the app may do: some of those that were shown."),
    days: z
      .int()
      .min(1)
      .max(MAX_DAYS)
      .optional()
      .openapi({ example: 30 })
      .describe("The days until the access ends, at most `maxDays`; by default the `days` of the request."),
  })
  .openapi("ApproveAuthorizationBody");
export const DenyBody = z.strictObject({ requestToken }).openapi("DenyAuthorizationBody");

export const Decision = z
  .object({
    redirectTo: textExample("https://claude.ai/api/mcp/auth_callback?code=mosc_0").describe(
      "Where the browser goes now; `https:`, or `http:` on the computer of the person.",
    ),
  })
  .openapi("AuthorizationDecision");
