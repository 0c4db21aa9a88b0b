import { z } from "@hono/zod-openapi";
import { singleLine } from "#kit";
import { assignmentsInput } from "../members/schemas.ts";
import { isGroup } from "./answer.ts";
import { ISSUER, provisioning, secondFactor, status } from "./connection-schemas.ts";

const MAX_TEXT = 500;
const MAX_SECRET = 2_000;
/** Scopes in the syntax of RFC 6749. */
const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const visible = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine(
      (text) => /^[\x20-\x7e]*$/.test(text) && text.trim() === text,
      "must be printable ASCII without spaces around it",
    );
const claim = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => text === "" || isGroup(text), "must not contain control characters")
  .openapi({ minLength: 1, maxLength: 256, example: "email" });
const time = z.iso.datetime({ offset: true }).openapi({ example: "2027-01-31T09:30:00.000Z" });

const oidc = z.strictObject({
  issuer: z
    .string()
    .max(2_048)
    .openapi({ example: ISSUER })
    .describe("The issuer, exactly as the provider names itself."),
  clientId: visible(MAX_TEXT).openapi({ example: "3f1a" }).describe("The id of the client at the provider."),
  clientSecret: visible(MAX_SECRET)
    .nullable()
    .optional()
    .openapi({ example: "s3cret" })
    .describe("The secret of the client; without one the client is public. It is never shown."),
  scopes: z
    .string()
    .max(MAX_TEXT)
    .refine(
      (text) => SCOPES.test(text) && text.split(" ").includes("openid"),
      "must be scopes separated by single spaces, openid among them",
    )
    .optional()
    .openapi({ example: "openid email profile" })
    .describe("The scopes to request; default `openid email profile`."),
  clientSecretExpiresAt: time
    .nullable()
    .optional()
    .describe("When the secret expires, to be reminded of it."),
});

const claims = z
  .strictObject({
    subject: z.enum(["sub", "oid"]).optional().describe("The claim that identifies a person; default `sub`."),
    email: claim.optional().describe("The claim of the address; default `email`."),
    firstName: claim.optional().describe("The claim of the first name; default `given_name`."),
    lastName: claim.optional().describe("The claim of the last name; default `family_name`."),
    groups: claim.optional().describe("The claim of the groups; default `groups`."),
  })
  .optional()
  .describe("Which claims say who a person is.");

const further = {
  claims,
  provisioning: provisioning
    .optional()
    .describe("Whether people of the domains become members by signing in; default `none`."),
  defaultAssignments: assignmentsInput
    .optional()
    .describe(
      "The roles of members without any other role; `[]` stands for the default role. The caller must hold their permissions.",
    ),
  secondFactor: secondFactor
    .optional()
    .describe("Whether the provider's second factor counts here; default `own`."),
};
const name = singleLine({ min: 1, max: 100 }).openapi({ example: "Acme" });

export const CreateConnectionBody = z
  .strictObject({
    name: name.describe("The name of the connection."),
    oidc: oidc.describe("The client at the provider."),
    ...further,
  })
  .openapi("CreateConnectionBody");

export const UpdateConnectionBody = z
  .strictObject({
    name: name.optional().describe("The new name."),
    oidc: oidc
      .partial()
      .optional()
      .describe("What changes of the client. A new issuer drops the stored secret."),
    ...further,
    status: status
      .optional()
      .describe("`ENABLED` needs a passed test of the caller or a setup link, at most 24 hours old."),
    version: z
      .int()
      .optional()
      .openapi({ example: 1 })
      .describe("The version that was read: 409 if the connection has changed since."),
  })
  .openapi("UpdateConnectionBody");
