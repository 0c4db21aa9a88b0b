import { z } from "@hono/zod-openapi";
import { type AuditEntry, changeOf, RoleEntry, textExample, timestamp, uuid } from "#kit";
import { bySetupLink, endedApps, roleGrants } from "#kit/inside";
import { claimsShown } from "./connection-schemas.ts";
import { REFUSALS, type Refusal } from "./outcome.ts";

const name = textExample("Acme").describe("The name of the connection.");
const issuer = textExample("https://id.example.com").describe("The issuer.");
const connectionId = uuid.describe("The connection.");
const setupEmail = textExample("it@example.com").describe("The address of the link.");
const mapped = z
  .object({
    connectionId,
    group: textExample("engineering").describe("The group, as the provider sends it."),
  })
  .extend(RoleEntry.shape);

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  CONNECTION_CREATED: { target: "connection", metadata: z.object({ name, issuer, ...bySetupLink }) },
  CONNECTION_UPDATED: {
    target: "connection",
    metadata: changeOf(
      z.object({
        name,
        status: textExample("ENABLED").describe("The status."),
        issuer,
        clientId: textExample("3f1a").describe("The id of the client at the provider."),
        scopes: textExample("openid email profile").describe("The scopes that are requested."),
        clientSecretExpiresAt: timestamp.nullable().describe("When the secret expires."),
        claims: claimsShown
          .extend({ subject: textExample("sub").describe("The claim that identifies a person.") })
          .describe("Which claims say who a person is."),
        provisioning: textExample("jit").describe("Whether people become members by signing in."),
        secondFactor: textExample("own").describe("Whether the provider's second factor counts."),
        defaultAssignments: z.array(RoleEntry).describe("The roles of members without any other role."),
      }),
    ).extend({
      ...bySetupLink,
      clientSecretChanged: z
        .literal(true)
        .optional()
        .describe("Present if the secret changed, which is not shown."),
    }),
  },
  CONNECTION_DELETED: {
    target: "connection",
    metadata: z.object({
      name,
      keptAssignments: z
        .int()
        .openapi({ example: 3 })
        .describe("How many roles that groups gave became roles by hand."),
      endedApps,
    }),
  },
  SIGN_ON_MAPPING_CREATED: { target: "connection", metadata: mapped },
  SIGN_ON_MAPPING_DELETED: { target: "connection", metadata: mapped },
  SETUP_LINK_CREATED: {
    target: "setup_link",
    metadata: z.object({
      email: setupEmail,
      what: z.array(textExample("connection")).describe("What the link lets set up."),
    }),
  },
  SETUP_LINK_FINISHED: { target: "setup_link", metadata: z.object({ email: setupEmail, ...bySetupLink }) },
  SETUP_LINK_REVOKED: { target: "setup_link", metadata: z.object({ email: setupEmail }) },
  SSO_IDENTITY_REMOVED: { target: "user", metadata: z.object({ connectionId, endedApps }) },
  USER_PROVISIONED: {
    target: "user",
    metadata: roleGrants.extend({
      via: z.literal("sso").describe("The person became a member by signing in through a connection."),
      connectionId,
    }),
    places: ["assignments"],
  },
  SSO_SIGN_IN_FAILED: {
    target: "connection",
    metadata: z.object({
      connectionId,
      email: textExample("ada@example.com")
        .nullable()
        .describe("The address that the provider sent; null if there is none."),
      reason: z
        .enum([
          ...REFUSALS.map((code) => code.toLowerCase() as Lowercase<Refusal>),
          "provider_error",
          "client_refused",
          "no_auth_time",
          "limited",
        ])
        .describe("Why; `limited`: further failures of this hour are not recorded."),
    }),
  },
} as const satisfies Record<string, AuditEntry>;
