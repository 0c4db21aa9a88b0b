import { z } from "@hono/zod-openapi";
import { defineConflict, defineError } from "../../platform/errors.ts";

export const organizationHeaderRequired = defineError(
  400,
  "ORGANIZATION_REQUIRED",
  "X-Organization-Id must name exactly one organization",
);

/**
 * The error for invitations of a suspended organization, and for access tokens that were issued before it was
 * suspended. Switching to a suspended organization is rejected with 403 instead.
 */
export const organizationIsSuspended = defineError(
  400,
  "ORGANIZATION_SUSPENDED",
  "The organization is suspended",
);

export const unauthenticated = defineError(401, "UNAUTHENTICATED", "A valid access token is required");

/** The error for a route of the product that is called without its key, such as with an access token. */
export const productKeyRequired = defineError(
  401,
  "UNAUTHENTICATED",
  "A valid key of the product is required in Authorization, as Bearer",
);

/**
 * The error for a session that may only set up a second factor, because its account must have a second factor
 * (rules 7.9).
 */
export const twoFactorRequired = defineError(
  403,
  "TWO_FACTOR_REQUIRED",
  "Two-factor authentication is required: set it up, then refresh the access token",
);

/** The means by which a caller can re-authenticate. */
const waysToProve = z
  .array(z.string().openapi({ example: "password" }))
  .describe(
    "The methods with which the account can prove its identity, in order of preference: `passkey`, `password`, `code` (together with the password), `provider:<key>`, `connection:<id>` for a write in its organization, and `reset-mail` if there is no other.",
  );

/** The error for an organization that asks for a second factor that the account does not have (rules 38). */
export const secondFactorRequired = defineError(
  403,
  "TWO_FACTOR_REQUIRED",
  "The organization requires two-factor authentication",
  (details: { methods: string[] }) => ({ details }),
  z.object({
    details: z
      .object({ methods: waysToProve })
      .optional()
      .describe("Present if the organization asks for the second factor; empty if the account has none."),
  }),
);

/** The error for routes that need a recent proof of identity (rules 33.5). */
export const reauthenticationRequired = defineError(
  403,
  "REAUTHENTICATION_REQUIRED",
  "Re-authenticate or sign in again, then repeat the request",
  (details: { methods: string[]; maxAgeSeconds: number | null }) => ({ details }),
  z.object({
    details: z
      .object({
        methods: waysToProve,
        maxAgeSeconds: z
          .int()
          .nullable()
          .openapi({ example: 600 })
          .describe(
            "The maximum age of the proof, in seconds; null if any proof of the account's own in this session is enough.",
          ),
      })
      .describe("How to re-authenticate."),
  }),
);

/** The error for an account that has no means to re-authenticate on this route. */
export const cannotReauthenticate = defineConflict(
  "The account has nothing to re-authenticate with here",
  (methods: string[]) => ({ details: { methods } }),
);

/** The error for a route that API keys must not call. */
export const apiKeyNotAllowed = defineError(
  403,
  "API_KEY_NOT_ALLOWED",
  "API keys may not call this; sign in as a user",
);

/** The error for a route that no app may call, whatever it was granted, or for a part of one, which `message` then names. */
export const appNotAllowed = defineError(
  403,
  "APP_NOT_ALLOWED",
  "Apps may not call this; sign in as a user",
  (message?: string) => (message === undefined ? {} : { message }),
);

/** The error for a route that the key of the product must not call. */
export const productKeyNotAllowed = defineError(
  403,
  "PRODUCT_KEY_NOT_ALLOWED",
  "The key of the product may not call this",
);

/** The error for an API key that is restricted to other IP addresses. */
export const ipNotAllowed = defineError(
  403,
  "IP_NOT_ALLOWED",
  "The API key may not be used from this address",
);

/** The error for API keys and setup links of a suspended organization. */
export const organizationOfKeyIsSuspended = defineError(
  403,
  "ORGANIZATION_SUSPENDED",
  "The organization is suspended",
);

export const forbidden = defineError(403, "FORBIDDEN", "Not allowed");

/** The error for a route of a feature that the organization's plan does not have. */
export const planFeatureRequired = defineError(
  403,
  "PLAN_FEATURE_REQUIRED",
  "The organization's plan does not include the feature",
  (feature: string) => ({ message: `The organization's plan does not include the feature ${feature}` }),
);

export const platformAdminRequired = defineError(
  403,
  "PLATFORM_ADMIN_REQUIRED",
  "Only for platform administrators",
);

export const organizationOverrideForbidden = defineError(
  403,
  "ORGANIZATION_OVERRIDE_FORBIDDEN",
  "Only platform administrators may send X-Organization-Id",
);

export const organizationRequired = defineError(403, "ORGANIZATION_REQUIRED", "No organization is active");

export const unitForbidden = defineError(403, "UNIT_FORBIDDEN", "You do not have access to this unit");

export const permissionNotHeld = defineError(
  403,
  "PERMISSION_NOT_HELD",
  "You lack a permission that this grants or removes",
);
