import { z } from "@hono/zod-openapi";
import { textExample, timestamp, uuid } from "#kit";
import { parseAddress } from "../../platform/http/client-address.ts";

/** The address of a client in the form of the service's own: servers with sockets for both see `::ffff:192.0.2.1`. */
export const address = z
  .union([z.ipv4(), z.ipv6()], "must be an IPv4 or IPv6 address")
  .transform((given) => parseAddress(given) ?? given)
  .openapi({ type: "string", example: "203.0.113.7" });

const MAX_TOKEN = 8 * 1024;
/** For how many seconds a product may keep a response. */
export const CACHE_SECONDS = 30;

type CheckRequest = {
  token?: unknown;
  userId?: unknown;
  serviceAccountId?: unknown;
  organizationId?: unknown;
};

/** Whether a body asks about exactly one actor. */
const namesOneActor = (body: unknown) => {
  const { token, userId, serviceAccountId, organizationId } = (body ?? {}) as CheckRequest;
  const named = [token, userId, serviceAccountId].filter((part) => part !== undefined);
  return named.length === 1 && (token !== undefined || organizationId !== undefined);
};

export const CheckBody = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(MAX_TOKEN)
      .optional()
      .describe("What the product received as Bearer: an access token or an API key."),
    ip: address
      .optional()
      .describe("The address that the product saw. A key that is tied to addresses is refused without it."),
    organizationId: uuid
      .optional()
      .describe(
        "Beside a token: of a platform administrator the organization acted in, of anyone else that of the token. Otherwise the organization of the actor.",
      ),
    userId: uuid.optional().describe("The user who is asked about, instead of a token."),
    serviceAccountId: uuid
      .optional()
      .describe("The service account that is asked about, instead of a token."),
  })
  .refine(namesOneActor, {
    path: ["token"],
    message: "must be given alone, or userId or serviceAccountId with organizationId",
    when: () => true,
  })
  .openapi("CheckBody");

export const REASONS = [
  "INVALID",
  "EXPIRED",
  "ENDED",
  "NO_ORGANIZATION",
  "NOT_A_MEMBER",
  "SUSPENDED",
  "TWO_FACTOR_REQUIRED",
  "IP_NOT_ALLOWED",
  "SUPPORT_SESSION_REQUIRED",
] as const;

const permissions = z.array(textExample("Inspections.Read"));

export const Check = z
  .discriminatedUnion("active", [
    z
      .object({
        active: z.literal(false).describe("The caller may do nothing at the product."),
        reason: z
          .enum(REASONS)
          .describe(
            "Why: `ENDED` is a session, key or account that ended; `SUPPORT_SESSION_REQUIRED` does not occur yet.",
          ),
      })
      .openapi("InactiveCheck"),
    z
      .object({
        active: z.literal(true).describe("The caller may act, as far as the permissions go."),
        actor: z
          .object({
            type: z.enum(["user", "service_account"]).describe("The kind of actor."),
            id: uuid.describe("The id of the user or of the service account."),
            email: textExample("ada@example.com").nullable().describe("Null for a service account."),
            name: textExample("Ada Lovelace").describe("The name of the person or the service account."),
            language: z.enum(["en", "el"]).describe("The language of the person; else the default one."),
            isPlatformAdmin: z.boolean().describe("Whether the user is a platform administrator."),
          })
          .describe("Who it is."),
        organization: z
          .object({
            id: uuid.describe("The id of the organization."),
            name: textExample("Acme").describe("The name of the organization."),
            slug: textExample("acme").describe("The short name of the organization."),
            plan: textExample("pro")
              .nullable()
              .describe("The key of the plan in effect; null without plans."),
            features: z
              .array(textExample("inspectionReports"))
              .describe("The features of the manifest that the plan includes; all without plans."),
          })
          .describe("The organization acted in."),
        permissions: permissions.describe("The permissions of the manifest that are held organization-wide."),
        unitGrants: z
          .array(
            z.object({
              permissions: permissions.describe(
                "The permissions of the manifest that are held in these units.",
              ),
              units: z.array(uuid).describe("The units where they are assigned, and all units below them."),
            }),
          )
          .describe("The permissions that are held in units."),
        authenticatedAt: timestamp
          .nullable()
          .describe("When the user last proved their identity in the session; null without a session."),
        cacheSeconds: z
          .literal(CACHE_SECONDS)
          .describe("For how many seconds the response may be kept, at most until the token expires."),
      })
      .openapi("ActiveCheck"),
  ])
  .openapi("Check");
