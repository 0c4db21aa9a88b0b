import { z } from "@hono/zod-openapi";
import { pageOf, pathId, textExample, timestamp, unpagedListQuery, uuid } from "#kit";
import { Assignment } from "../members/schemas.ts";

const STATUSES = ["DRAFT", "ENABLED", "DISABLED"] as const;
export const status = z.enum(STATUSES);
export const provisioning = z.enum(["none", "jit"]);
export const secondFactor = z.enum(["own", "trusted"]);
export const ISSUER = "https://id.example.com";

const NamedDomain = z.object({
  id: uuid.describe("The id of the domain."),
  domain: textExample("acme.com").describe("The name of the domain."),
});

export const claimsShown = z.object({
  subject: z.enum(["sub", "oid"]).describe("The claim of the ID token that identifies a person."),
  email: textExample("email").describe("The claim of the address."),
  firstName: textExample("given_name").describe("The claim of the first name."),
  lastName: textExample("family_name").describe("The claim of the last name."),
  groups: textExample("groups").describe("The claim of the groups."),
});

const lastError = z.object({
  code: textExample("PROVIDER_ERROR").describe("What went wrong."),
  at: timestamp.describe("When it happened."),
  detail: textExample("The provider did not answer, or its answer was not valid.").describe(
    "The same in words.",
  ),
});

export const creator = z.object({
  id: uuid.describe("The id of the account."),
  email: textExample("ada@example.com").describe("The email of the account."),
});

export const Connection = z
  .object({
    id: uuid.describe("The id of the connection."),
    name: textExample("Acme").describe("The name of the connection, for the sign-in button."),
    protocol: z.literal("oidc").describe("The protocol."),
    status: status.describe("`DRAFT`: it can only be tested. `DISABLED`: nobody signs in by it."),
    oidc: z
      .object({
        issuer: textExample(ISSUER).describe("The issuer."),
        clientId: textExample("3f1a").describe("The id of the client at the provider."),
        scopes: textExample("openid email profile").describe(
          "The scopes that are requested, separated by spaces.",
        ),
        hasClientSecret: z.boolean().describe("Whether a secret is stored. It is never shown."),
        clientSecretExpiresAt: timestamp
          .nullable()
          .describe("When the secret expires, as entered; null if unknown."),
      })
      .describe("The client at the provider."),
    claims: claimsShown.describe("Which claims say who a person is."),
    provisioning: provisioning.describe(
      "`jit`: people of the organization's domains become members at their first sign-in.",
    ),
    defaultAssignments: z
      .array(Assignment)
      .describe("The roles of members without any other role; none stands for the default role."),
    secondFactor: secondFactor.describe("`trusted`: a sign-in counts as two factors in the organization."),
    redirectUri: textExample(
      "https://api.example.com/api/auth/sso/0190c7a0-0000-7000-8000-000000000001/callback",
    ).describe("The redirect address to register at the provider."),
    startUrl: textExample("https://app.example.com/sso/0190c7a0-0000-7000-8000-000000000001").describe(
      "The address for a tile at the provider.",
    ),
    domains: z.array(NamedDomain).describe("The domains whose people sign in by this connection."),
    identityCount: z.int().openapi({ example: 12 }).describe("The number of linked people."),
    mappingCount: z.int().openapi({ example: 3 }).describe("The number of mappings of groups."),
    testedAt: timestamp
      .nullable()
      .describe("When a test last passed, since the last change of provider or claims."),
    lastSignInAt: timestamp.nullable().describe("When somebody last signed in."),
    lastError: lastError.nullable().describe("What last went wrong; null if nothing did."),
    version: z.int().openapi({ example: 1 }).describe("Raised by every change."),
    createdBy: creator
      .nullable()
      .describe("Who created the connection; null for a setup link or a deleted account."),
    createdAt: timestamp.describe("When the connection was created."),
  })
  .openapi("Connection");
export const ConnectionPage = pageOf(Connection).openapi("ConnectionPage");
export const ConnectionQuery = unpagedListQuery({});
export const ConnectionPath = z.strictObject({ id: pathId("connection") });
