import { z } from "@hono/zod-openapi";
import { textExample } from "../definitions/fields.ts";

/** The maximum length of an authenticator's response, in characters of JSON. */
const MAX_RESPONSE = 65_536;

const base64url = z
  .string()
  .min(1)
  .max(MAX_RESPONSE)
  .regex(/^[A-Za-z0-9_-]+$/, "must be base64url")
  .openapi({ example: "c2lnbmF0dXJl" });

/** The fields that the responses of `credentials.create` and `credentials.get` have in common. */
const credential = {
  id: base64url.describe("The id of the credential."),
  rawId: base64url.describe("The id of the credential."),
  type: z.literal("public-key").describe("The type of the credential."),
  authenticatorAttachment: z
    .enum(["platform", "cross-platform"])
    .nullish()
    .describe("Whether the authenticator is part of the device."),
  clientExtensionResults: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("Results of extensions; only `credProps.rk` of a new credential is used."),
};

const isSmall = [
  (response: object) => JSON.stringify(response).length <= MAX_RESPONSE,
  { message: `must be shorter than or equal to ${MAX_RESPONSE} characters` },
] as const;

/** The result of `navigator.credentials.get`, as JSON. */
export const AssertionResponse = z
  .strictObject({
    ...credential,
    response: z
      .strictObject({
        clientDataJSON: base64url.describe("The data of the client."),
        authenticatorData: base64url.describe("The data of the authenticator."),
        signature: base64url.describe("The signature."),
        userHandle: z
          .string()
          .max(128)
          .regex(/^[A-Za-z0-9_-]*$/, "must be base64url")
          .nullish()
          .describe("The id of the account, if the authenticator stores it."),
      })
      .describe("The signed assertion."),
  })
  .refine(...isSmall)
  .openapi("PasskeyAssertion");
export type AssertionResponse = z.output<typeof AssertionResponse>;

/** The result of `navigator.credentials.create`, as JSON. */
export const AttestationResponse = z
  .strictObject({
    ...credential,
    response: z
      .strictObject({
        clientDataJSON: base64url.describe("The data of the client."),
        attestationObject: base64url.describe("The new credential."),
        authenticatorData: base64url.optional().describe("Ignored: `attestationObject` contains it."),
        publicKey: base64url.nullish().describe("Ignored: `attestationObject` contains it."),
        publicKeyAlgorithm: z.int().optional().describe("Ignored: `attestationObject` contains it."),
        transports: z
          .array(
            z
              .string()
              .min(1)
              .max(32)
              .regex(/^[a-z0-9-]+$/, "must be lower-case letters, digits and hyphens"),
          )
          .max(10)
          .optional()
          .describe("How the browser reaches the authenticator."),
      })
      .describe("The new credential."),
  })
  .refine(...isSmall)
  .openapi("PasskeyAttestation");
export type AttestationResponse = z.output<typeof AttestationResponse>;

export const challengeToken = z
  .string()
  .min(1)
  .max(1_024)
  .openapi({ example: "eyJhbGciOiJIUzI1NiJ9.eyJwdXJwb3NlIjoic2lnbi1pbiJ9.c2lnbmF0dXJl" })
  .describe("The token of the challenge.");

/** A passkey as a proof of identity: the challenge's token, and the browser's response to it. */
export const PasskeyProof = z
  .strictObject({ challengeToken, response: AssertionResponse.describe("What the browser returned.") })
  .openapi("PasskeyProof");

const descriptor = z.object({
  id: base64url.describe("The id of the credential."),
  type: z.literal("public-key").describe("The type of the credential."),
  transports: z.array(textExample("internal")).describe("How the browser reaches the authenticator."),
});

/** The options for `navigator.credentials.get` (`PublicKeyCredentialRequestOptionsJSON`). */
export const RequestOptions = z
  .object({
    challenge: base64url.describe("The challenge to sign."),
    timeout: z.int().openapi({ example: 300_000 }).describe("How long the browser may ask, in milliseconds."),
    rpId: textExample("app.example.com").describe("The domain of the passkeys."),
    allowCredentials: z
      .array(descriptor)
      .describe("The credentials that may be used; if empty, the browser offers those that it finds."),
    userVerification: z
      .enum(["required", "preferred"])
      .describe("Whether the authenticator must verify the user, by a PIN or biometrics."),
  })
  .openapi("PasskeyRequestOptions");
export type RequestOptions = z.output<typeof RequestOptions>;

/** The options for `navigator.credentials.create` (`PublicKeyCredentialCreationOptionsJSON`). */
export const CreationOptions = z
  .object({
    challenge: base64url.describe("The challenge."),
    timeout: z.int().openapi({ example: 300_000 }).describe("How long the browser may ask, in milliseconds."),
    rp: z
      .object({
        id: textExample("app.example.com").describe("The domain of the passkey."),
        name: textExample("Acme").describe("The name of the service."),
      })
      .describe("The service."),
    user: z
      .object({
        id: base64url.describe("The 16 bytes of the user's id."),
        name: textExample("ada@example.com").describe("The email."),
        displayName: textExample("Ada Lovelace").describe("The name."),
      })
      .describe("The account."),
    pubKeyCredParams: z
      .array(
        z.object({
          type: z.literal("public-key").describe("The type of the credential."),
          alg: z.int().openapi({ example: -7 }).describe("A COSE algorithm."),
        }),
      )
      .describe("The algorithms, the preferred one first."),
    excludeCredentials: z.array(descriptor).describe("The credentials that the account has."),
    authenticatorSelection: z
      .object({
        residentKey: z
          .enum(["required", "preferred"])
          .describe("Whether the passkey must be found without an id."),
        requireResidentKey: z.boolean().describe("The same, for older browsers."),
        userVerification: z.enum(["required", "preferred"]).describe("Whether the user must be verified."),
      })
      .describe("What the authenticator must do."),
    attestation: z.literal("none").describe("The make of the authenticator need not be proven."),
    extensions: z
      .object({ credProps: z.literal(true).describe("Returns whether the passkey is stored.") })
      .describe("Extensions of the browser."),
  })
  .openapi("PasskeyCreationOptions");
export type CreationOptions = z.output<typeof CreationOptions>;
