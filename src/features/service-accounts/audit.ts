import { z } from "@hono/zod-openapi";
import { type AuditEntry, addedAndRemoved, changeOf, RoleEntry, textExample, timestamp, uuid } from "#kit";

const serviceAccount = z.object({
  name: textExample("Deploy bot").describe("The name of the service account."),
});
const apiKey = z.object({
  serviceAccountId: uuid.describe("The service account of the key."),
  start: textExample("mosk_3fT9").describe("The prefix and the first characters of the key."),
});
const keySettings = z.object({
  name: textExample("CI").describe("The name of the key."),
  allowedIps: z
    .array(textExample("203.0.113.0/24"))
    .nullable()
    .describe("The IP address ranges from which the key may be used; null for all."),
});
const keyEnd = timestamp.nullable().describe("When the key expires; null for a key that does not expire.");

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  SERVICE_ACCOUNT_CREATED: {
    target: "service_account",
    metadata: serviceAccount.extend({
      assignments: z.array(RoleEntry).describe("The assigned roles with their units."),
    }),
    places: ["assignments"],
  },
  SERVICE_ACCOUNT_UPDATED: {
    target: "service_account",
    metadata: changeOf(
      serviceAccount.extend({
        description: textExample("Deploys releases").describe("What the service account is for."),
        enabled: z.boolean().describe("Whether the keys of the service account may be used."),
      }),
    ).extend({
      reason: z
        .literal("NO_MEMBERS")
        .optional()
        .describe("Why it was disabled, if nobody asked for it: the last member left the organization."),
    }),
  },
  SERVICE_ACCOUNT_ROLES_CHANGED: {
    target: "service_account",
    metadata: addedAndRemoved(RoleEntry),
    places: ["added", "removed"],
  },
  SERVICE_ACCOUNT_DELETED: {
    target: "service_account",
    metadata: serviceAccount.extend({
      roles: z.array(RoleEntry).describe("The roles that the service account had."),
    }),
    places: ["roles"],
  },
  API_KEY_CREATED: {
    target: "api_key",
    metadata: apiKey.extend({ ...keySettings.shape, expiresAt: keyEnd }),
  },
  API_KEY_UPDATED: {
    target: "api_key",
    metadata: changeOf(keySettings).extend({ serviceAccountId: apiKey.shape.serviceAccountId }),
  },
  API_KEY_ROTATED: {
    target: "api_key",
    metadata: apiKey.extend({
      successorId: uuid.describe("The new key."),
      endsAt: timestamp.describe("When the replaced key expires."),
    }),
  },
  API_KEY_REVOKED: {
    target: "api_key",
    metadata: apiKey.extend({
      via: z
        .enum(["member", "reported"])
        .describe("How the key was revoked: by a member, or by somebody who reported it as leaked."),
    }),
  },
  API_KEY_REFUSED: {
    target: "api_key",
    metadata: apiKey.extend({
      reason: z
        .enum(["revoked", "expired", "address"])
        .describe(
          "Why the key was refused: it had expired or was revoked, or the client's IP address is not allowed.",
        ),
    }),
  },
} as const satisfies Record<string, AuditEntry>;
