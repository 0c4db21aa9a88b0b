import { z } from "@hono/zod-openapi";
import { listQuery, longText, pageOf, pathId, search, singleLine, textExample, timestamp, uuid } from "#kit";
import { AccessTokenClaims } from "../../core/access/claims.ts";
import { Assignment, assignmentsInput } from "../members/schemas.ts";

const Creator = z.object({
  id: uuid.describe("The id of the user's account."),
  email: textExample("ada@example.com").describe("The email of the user."),
});

export const ServiceAccount = z
  .object({
    id: uuid.describe("The id of the service account."),
    name: textExample("Deploy bot").describe(
      "The name of the service account, unique in the organization, ignoring case.",
    ),
    description: textExample("Deploys releases").describe("What the service account is for; may be empty."),
    enabled: z.boolean().describe("Whether the keys of the service account may be used."),
    assignments: z.array(Assignment).describe("The roles of the service account."),
    keyCount: z
      .int()
      .openapi({ example: 1 })
      .describe("The number of the service account's keys that are `ACTIVE`."),
    lastUsedAt: timestamp
      .nullable()
      .describe("When a key of the service account was last used. May lag by up to 11 minutes."),
    createdBy: Creator.nullable().describe(
      "The user who created the service account, also after that user was deleted; null if unknown.",
    ),
    createdAt: timestamp.describe("When the service account was created."),
  })
  .openapi("ServiceAccount");
export const ServiceAccountPage = pageOf(ServiceAccount).openapi("ServiceAccountPage");
export const ServiceAccountPath = z.strictObject({ id: pathId("service account") });
export const ServiceAccountQuery = listQuery(
  { sorts: ["createdAt", "name", "lastUsedAt"], defaultOrder: "desc" },
  { search },
);

const name = singleLine({ min: 1, max: 100 });
const description = longText({ min: 0, max: 500 });

export const CreateServiceAccountBody = z
  .strictObject({
    name: name.describe("The name of the service account, unique in the organization, ignoring case."),
    description: description.default("").describe("What the service account is for."),
    assignments: assignmentsInput
      .min(1)
      .describe("The roles of the service account: at least one, at most 50."),
  })
  .openapi("CreateServiceAccountBody");
export const UpdateServiceAccountBody = z
  .strictObject({
    name: name.optional().describe("The new name."),
    description: description.optional().describe("The new description."),
    enabled: z.boolean().optional().describe("Whether the keys of the service account may be used."),
  })
  .openapi("UpdateServiceAccountBody");
export const ServiceAccountRolesBody = z
  .strictObject({
    assignments: assignmentsInput
      .min(1)
      .optional()
      .describe(
        "The new roles of the service account, which replace all earlier ones: at least one, at most 50; duplicates count once.",
      ),
  })
  .openapi("ServiceAccountRolesBody");

export const KEY_STATUSES = ["ACTIVE", "ROTATED", "EXPIRED", "REVOKED"] as const;
export const ApiKey = z
  .object({
    id: uuid.describe("The id of the key."),
    name: textExample("CI").describe("The name of the key, such as its purpose."),
    start: textExample("mosk_3fT9").describe("The prefix and the first characters of the key."),
    status: z
      .enum(KEY_STATUSES)
      .describe(
        "`ACTIVE` and `ROTATED` keys work; a `ROTATED` key was replaced and works until `expiresAt`. `EXPIRED` and `REVOKED` keys no longer work.",
      ),
    allowedIps: z
      .array(textExample("203.0.113.0/24"))
      .nullable()
      .describe("The IP address ranges from which the key may be used; null for all."),
    expiresAt: timestamp.nullable().describe("When the key expires; null for a key that does not expire."),
    lastUsedAt: timestamp.nullable().describe("When the key was last used. May lag by up to 11 minutes."),
    lastUsedIp: textExample("203.0.113.7").nullable().describe("The client IP address of the last use."),
    replacedById: uuid.nullable().describe("The id of the key that replaced this one by rotation."),
    createdBy: Creator.extend({
      member: z.boolean().describe("Whether the user is still a member of the organization."),
    })
      .nullable()
      .describe("The user who created or rotated the key."),
    createdAt: timestamp.describe("When the key was created."),
    revokedAt: timestamp.nullable().describe("When the key was revoked."),
  })
  .openapi("ApiKey");
export const NewApiKey = ApiKey.extend({
  key: textExample(`mosk_${"0".repeat(40)}2kaqcA`)
    .nullable()
    .describe(
      "The key, for `Authorization: Bearer`. It is shown only in this response; null if the response is repeated.",
    ),
}).openapi("NewApiKey");
export const OwnServiceAccount = z
  .object({
    serviceAccount: z
      .object({
        id: uuid.describe("The id of the service account."),
        name: textExample("Deploy bot").describe("The name of the service account."),
      })
      .describe("The service account of the key."),
    organization: AccessTokenClaims.shape.organization.unwrap().openapi({
      description: "The organization in which the key acts.",
    }),
    key: ApiKey.openapi({ description: "An API key of a service account." }),
    permissions: AccessTokenClaims.shape.permissions,
    unitGrants: AccessTokenClaims.shape.unitGrants,
  })
  .openapi("OwnServiceAccount");
