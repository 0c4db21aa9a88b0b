import { z } from "@hono/zod-openapi";
import { AccessTokenClaims } from "../../core/access/claims.ts";
import { listQuery, pageOf, search } from "../../core/api/paging.ts";
import { longText, pathId, singleLine, textExample, timestamp, uuid } from "../../core/definitions/fields.ts";
import { Assignment, assignmentsInput } from "../members/schemas.ts";

const Creator = z.object({
  id: uuid.describe("The account of the person."),
  email: textExample("ada@example.com").describe("The email of the person."),
});

export const ServiceAccount = z
  .object({
    id: uuid.describe("The id of the service account."),
    name: textExample("Deploy bot").describe("Unique in the organization, ignoring case."),
    description: textExample("Deploys releases").describe("What the service account is for; may be empty."),
    enabled: z.boolean().describe("Whether its keys may be used."),
    assignments: z.array(Assignment).describe("Its roles."),
    keyCount: z.int().openapi({ example: 1 }).describe("The number of its keys that are `ACTIVE`."),
    lastUsedAt: timestamp.nullable().describe("When one of its keys was last used, up to 11 minutes late."),
    createdBy: Creator.nullable().describe("Who created it."),
    createdAt: timestamp.describe("When it was created."),
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
    name: name.describe("Unique in the organization, ignoring case."),
    description: description.default("").describe("What the service account is for."),
    assignments: assignmentsInput.min(1).describe("Its roles: at least one, at most 50."),
  })
  .openapi("CreateServiceAccountBody");
export const UpdateServiceAccountBody = z
  .strictObject({
    name: name.optional().describe("The new name."),
    description: description.optional().describe("The new description."),
    enabled: z.boolean().optional().describe("Whether its keys may be used."),
  })
  .openapi("UpdateServiceAccountBody");
export const ServiceAccountRolesBody = z
  .strictObject({
    assignments: assignmentsInput
      .min(1)
      .optional()
      .describe("All its roles from now on: at least one, at most 50, duplicates count once."),
  })
  .openapi("ServiceAccountRolesBody");

export const KEY_STATUSES = ["ACTIVE", "ROTATED", "EXPIRED", "REVOKED"] as const;
export const ApiKey = z
  .object({
    id: uuid.describe("The id of the key."),
    name: textExample("CI").describe("What the key is for."),
    start: textExample("mosk_3fT9").describe("The prefix and the first characters of the key."),
    status: z
      .enum(KEY_STATUSES)
      .describe(
        "`ROTATED` keys were replaced and work until `expiresAt`. `EXPIRED` and `REVOKED` keys have ended.",
      ),
    allowedIps: z
      .array(textExample("203.0.113.0/24"))
      .nullable()
      .describe("The ranges of addresses that may use the key; null for all."),
    expiresAt: timestamp.nullable().describe("When the key ends; null if it does not."),
    lastUsedAt: timestamp.nullable().describe("When it was last used, up to 11 minutes late."),
    lastUsedIp: textExample("203.0.113.7").nullable().describe("The client address of that use."),
    replacedById: uuid.nullable().describe("The key that replaced it by rotation."),
    createdBy: Creator.extend({
      member: z.boolean().describe("Whether the person still is a member of the organization."),
    })
      .nullable()
      .describe("Who created or rotated it."),
    createdAt: timestamp.describe("When it was created."),
    revokedAt: timestamp.nullable().describe("When it was revoked."),
  })
  .openapi("ApiKey");
export const NewApiKey = ApiKey.extend({
  key: textExample(`mosk_${"0".repeat(40)}2xEN67`)
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
    key: ApiKey.openapi({ description: "The key of the request." }),
    permissions: AccessTokenClaims.shape.permissions,
    unitGrants: AccessTokenClaims.shape.unitGrants,
  })
  .openapi("OwnServiceAccount");
