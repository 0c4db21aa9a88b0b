import { z } from "@hono/zod-openapi";
import { absent, email, jsonSchema, pathId, textExample, timestamp, uuid } from "../../core/api/fields.ts";
import { MAX_PASSWORD_UNITS } from "../../platform/passwords/hasher.ts";

/** A password that is checked, not chosen: it may be older than today's rules. */
export const enteredPassword = z.string().min(1).max(MAX_PASSWORD_UNITS).openapi({ format: "password" });

export const LoginBody = z.strictObject({ email, password: enteredPassword }).openapi("LoginBody");

const accessToken = textExample("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkwIn0.c2lnbmF0dXJl").openapi(
  jsonSchema({
    contentMediaType: "application/jwt",
    // Header, payload and signature, as JSON Schema 2020-12 describes a JWT.
    contentSchema: {
      type: "array",
      prefixItems: [
        { type: "object", properties: { alg: { const: "HS256" }, typ: { const: "JWT" } } },
        { $ref: "#/components/schemas/AccessTokenClaims" },
      ],
      items: { type: "string" },
    },
  }),
);

export const AccessTokenResponse = z.object({ accessToken }).openapi("AccessToken");

export const ChallengeResponse = z
  .object({
    twoFactorRequired: z.literal(true),
    challengeToken: textExample("3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b"),
  })
  .openapi("TwoFactorChallenge");

/** Distinguished from a challenge by the property that it never has. */
export const SignedIn = AccessTokenResponse.extend({
  twoFactorRequired: absent,
}).openapi("SignedIn");

export const LoginResponse = z.union([SignedIn, ChallengeResponse]).openapi(
  "LoginResponse",
  {
    description: "A challenge if `twoFactorRequired` is present (always true), otherwise an access token.",
  },
  { unionPreferredType: "oneOf" },
);

export const SwitchBody = z.strictObject({ organizationId: uuid }).openapi("SwitchOrganizationBody");

export const OwnSession = z
  .object({
    id: uuid,
    createdAt: timestamp,
    lastUsedAt: timestamp,
    expiresAt: timestamp,
    ip: textExample("203.0.113.7").nullable(),
    userAgent: textExample("Mozilla/5.0 Firefox/140.0").nullable(),
    organization: z.object({ id: uuid, name: textExample("Acme") }).nullable(),
    current: z.boolean(),
  })
  .openapi("OwnSession");
export const OwnSessions = z.array(OwnSession);
export const SessionPath = z.strictObject({ id: pathId("session") });
