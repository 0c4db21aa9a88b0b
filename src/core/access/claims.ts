import { z } from "@hono/zod-openapi";
import { deferred } from "../definitions/deferred.ts";
import { textExample, uuid } from "../definitions/fields.ts";
import { permissionNames } from "./catalog.ts";

/** The name of a permission. */
export const permissionName = deferred(() =>
  z
    .enum(permissionNames())
    .openapi("PermissionName", { description: "The name of a permission, as `<Entity>.<Action>`." }),
);

const UNIT = "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e";
const SUBUNIT = "0190c7a0-5b20-7a11-8e4d-3c5f7a9b1d2e";
const UNIT_PACKED = "AZDHoFsffT6cUh9qK3yNng";
const BOTH_PACKED = "AZDHoFsffT6cUh9qK3yNngGQx6BbIHoRjk08X3qbHS4";

/** Returns the schema of unit ids in the packed form of access tokens (rules 6.8). */
const packedIds = (which: string, example: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]*$/)
    .openapi({ description: `${which} ${PACKING}`, example });
const PACKING = `Packed: the 16 bytes of each id, one after the other, in base64url without padding. \`${UNIT_PACKED}\` encodes \`${UNIT}\`, and \`${BOTH_PACKED}\` encodes that id and \`${SUBUNIT}\`.`;

/** Permissions that are held in the same units (rules 6.8). */
const grant = <Name extends z.ZodType<string>>(name: Name) =>
  z.object({
    permissions: z.array(name).describe("The permissions that are held in these units."),
    roots: packedIds("The units in which the roles are assigned.", UNIT_PACKED),
    units: packedIds(
      "These units and all below them; null if they are too many for a token.",
      BOTH_PACKED,
    ).nullable(),
  });

const claims = <Name extends z.ZodType<string>, Grant extends z.ZodObject>(name: Name, grant: Grant) =>
  z.object({
    sub: uuid.openapi({ description: "The user's id." }),
    sid: uuid.openapi({ description: "The session's id." }),
    exp: z
      .int()
      .openapi({ description: "When the token expires, in seconds since 1970.", example: 1_769_852_700 }),
    isPlatformAdmin: z.boolean().describe("Whether the user is a platform administrator."),
    organization: z
      .object({
        id: uuid.describe("The id of the organization."),
        name: textExample("Acme").describe("The name of the organization."),
        slug: textExample("acme").describe("The short name of the organization."),
      })
      .nullable()
      .openapi({ description: "The active organization; null if there is none." }),
    roles: z
      .array(textExample("MEMBER"))
      .openapi({ description: "Names of the roles that are assigned for the whole organization." }),
    rolesTruncated: z.literal(true).optional().openapi({
      description:
        "Present only if some role names did not fit into the token. Permissions are always complete.",
    }),
    permissions: z
      .array(name)
      .openapi({ description: "The permissions that are held for the whole organization." }),
    unitGrants: z.array(grant).nullable().openapi({
      description: "The permissions that are held in units; null if they are too many for a token.",
    }),
    auth_time: z.int().optional().openapi({
      description: "When the user last proved their identity in this session, in seconds since 1970.",
      example: 1_769_851_800,
    }),
    amr: z.array(textExample("pwd")).optional().openapi({
      description: "The authentication methods of the session's proofs, as `amr` values of RFC 8176.",
    }),
    acr: z.enum(["1", "2"]).optional().openapi({
      description:
        "`2` if the user has proven two factors, or a passkey with user verification; otherwise `1`.",
    }),
    confined: z.literal(true).optional().openapi({
      description:
        "Present only if the session was only proven by connections of organizations (rules 38): it acts in these organizations, and for the account only after a proof of the account's own.",
    }),
    mustEnableTwoFactor: z.literal(true).optional().openapi({
      description: "Present only while the account must set up a second factor, unless `acr` is `2`.",
    }),
  });

/**
 * Parses the claims that the service reads. A token of another version of the service may contain unknown
 * permissions, which grant nothing.
 */
export const ReadClaims = claims(z.string(), grant(z.string()));

const UnitGrant = grant(permissionName).openapi("UnitGrant");
/** The claims of an access token (rules 6.7), for the OpenAPI document. */
export const AccessTokenClaims = claims(permissionName, UnitGrant)
  .extend({
    iss: z.url().openapi({
      description: "The issuer of access tokens: the value of `APP_URL`.",
      example: "https://app.example.com",
    }),
    aud: z.literal("api").describe("The audience of access tokens."),
    iat: z
      .int()
      .openapi({ description: "When the token was issued, in seconds since 1970.", example: 1_769_851_800 }),
  })
  .openapi("AccessTokenClaims", {
    description:
      "The claims of an access token. Use them only to show and hide elements: the server authorizes every request itself. More permissions may be added.",
  });
