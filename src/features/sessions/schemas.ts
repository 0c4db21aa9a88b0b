import { z } from "@hono/zod-openapi";
import { email, jsonSchema, pathId, textExample, timestamp, uuid } from "#kit";
import { botToken } from "../../core/accounts/outside-checks.ts";
import { MAX_PASSWORD_UNITS } from "../../core/accounts/passwords.ts";

/** A password that is verified, not chosen: it may be older than the current password rules. */
export const enteredPassword = z.string().min(1).max(MAX_PASSWORD_UNITS).openapi({ format: "password" });

export const LoginBody = z
  .strictObject({
    email: email.describe("The email of the account; upper and lower case are equal."),
    password: enteredPassword.describe("The password of the account."),
    botToken,
  })
  .openapi("LoginBody");

const accessToken = textExample("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTkwIn0.c2lnbmF0dXJl").openapi(
  jsonSchema({
    contentMediaType: "application/jwt",
    // JSON Schema 2020-12 describes the content of a JWT as an array: header, payload and signature.
    contentSchema: {
      type: "array",
      prefixItems: [
        {
          type: "object",
          properties: {
            alg: {
              enum: ["HS256", "ES256"],
              description: "The algorithm of the signature: ES256 if the service has a signing key.",
            },
            typ: { const: "JWT", description: "The kind of token." },
            kid: {
              type: "string",
              description: "With ES256, the key of `/.well-known/jwks.json` that verifies the token.",
            },
          },
        },
        { $ref: "#/components/schemas/AccessTokenClaims" },
      ],
      items: { type: "string" },
    },
  }),
);

export const AccessTokenResponse = z
  .object({ accessToken: accessToken.describe("The access token for the `Authorization: Bearer` header.") })
  .openapi("AccessToken");

export const ChallengeResponse = z
  .object({
    twoFactorRequired: z.literal(true).describe("Always `true`: the sign-in needs a second factor."),
    challengeToken: textExample("3q2-7wXn0mGZ0c1n8mJm0sW0m2JrJt5b").describe(
      "The token of the challenge: send it to `POST /api/auth/2fa/verify` within 5 minutes.",
    ),
    methods: z
      .array(z.enum(["code", "recoveryCode", "passkey"]))
      .openapi({ example: ["code", "recoveryCode"] })
      .describe("What the second step accepts of this account."),
  })
  .openapi("TwoFactorChallenge");

/**
 * The response of a completed sign-in. Unlike the response with a challenge, it has no property
 * `twoFactorRequired`.
 */
export const SignedIn = AccessTokenResponse.extend({
  twoFactorRequired: z
    .literal(false)
    .optional()
    .describe("Always absent in this response; only a challenge has `twoFactorRequired`."),
}).openapi("SignedIn");

export const LoginResponse = z.union([SignedIn, ChallengeResponse]).openapi(
  "LoginResponse",
  {
    description: "A challenge if `twoFactorRequired` is present (always true), otherwise an access token.",
  },
  { unionPreferredType: "oneOf" },
);

export const SwitchBody = z
  .strictObject({ organizationId: uuid.describe("An organization that the caller is a member of.") })
  .openapi("SwitchOrganizationBody");

export const OwnSession = z
  .object({
    id: uuid.describe("The id of the session, which stays the same at refreshes."),
    createdAt: timestamp.describe("When the session began with a sign-in."),
    lastUsedAt: timestamp.describe("When the session was last refreshed."),
    expiresAt: timestamp.describe("When the session expires if it is not refreshed."),
    ip: textExample("203.0.113.7")
      .nullable()
      .describe("The client IP address of the last sign-in or refresh."),
    userAgent: textExample("Mozilla/5.0 Firefox/140.0")
      .nullable()
      .describe("The `User-Agent` header of the last sign-in or refresh."),
    organization: z
      .object({
        id: uuid.describe("The id of the organization."),
        name: textExample("Acme").describe("The name of the organization."),
      })
      .nullable()
      .describe("The active organization of the session."),
    current: z.boolean().describe("Whether this request belongs to the session."),
    confined: z
      .boolean()
      .describe("Whether the session was only proven by connections of organizations (rules 38)."),
  })
  .openapi("OwnSession");
export const OwnSessions = z.array(OwnSession);
export const SessionPath = z.strictObject({ id: pathId("session") });
