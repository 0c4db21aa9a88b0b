import { z } from "@hono/zod-openapi";
import {
  checkEvenIfFieldsFail,
  listQuery,
  pageOf,
  pathId,
  search,
  singleLine,
  textExample,
  timestamp,
  uuid,
} from "#kit";
import { overlapSeconds } from "#kit/inside";
import { isRedirect, NEEDS_HTTPS, plainRedirects } from "./redirects.ts";

const REDIRECT = "https://app.example.com/oauth/callback";

/** The account of a person who registered or approved something. */
export const Creator = z.object({
  id: uuid.describe("The id of the user's account."),
  email: textExample("ada@example.com").describe("The email of the user."),
});

export const OAuthClient = z
  .object({
    id: uuid.describe("The id, which is the client id of the app."),
    name: textExample("Reporting").describe("The name under which people see the app."),
    redirectUris: z
      .array(textExample(REDIRECT))
      .describe("The addresses at which the app gets its codes. At localhost the port is free."),
    confidential: z.boolean().describe("Whether the app has a secret."),
    enabled: z.boolean().describe("Whether people can connect the app, and its tokens work."),
    organizationId: uuid.nullable().describe("The organization; null if the app is for every organization."),
    grantCount: z
      .int()
      .openapi({ example: 3 })
      .describe("How many people's connections have not ended; disabling ends none."),
    previousSecretEndsAt: timestamp
      .nullable()
      .describe("Until when the previous secret works too; null if there is none."),
    createdBy: Creator.nullable().describe(
      "The user who registered the app, also after that user was deleted.",
    ),
    createdAt: timestamp.describe("When the app was registered."),
  })
  .openapi("OAuthClient");
export const OAuthClientPage = pageOf(OAuthClient).openapi("OAuthClientPage");
export const OAuthClientPath = z.strictObject({ id: pathId("client") });
export const OAuthClientQuery = listQuery({ sorts: ["createdAt", "name"], defaultOrder: "desc" }, { search });

const clientSecret = textExample(`moss_${"0".repeat(40)}3xPq1c`)
  .nullable()
  .describe("The secret. It is shown only in this response; null if the response is repeated.");
export const NewOAuthClient = OAuthClient.extend({
  clientSecret: clientSecret.describe(
    "The secret of a confidential app. It is shown only in this response; null if the response is repeated, and for other apps.",
  ),
}).openapi("NewOAuthClient");
export const RotatedClientSecret = z
  .object({
    clientSecret,
    previousSecretEndsAt: timestamp.describe("Until when the previous secret works too."),
  })
  .openapi("RotatedClientSecret");

const MAX_REDIRECTS = 10;
const MAX_LENGTH = 2_048;
const name = singleLine({ min: 1, max: 100 });
const redirect = z
  .string()
  .superRefine((value, ctx) => {
    if (isRedirect(value)) return;
    const message = "must be an https address, or http at localhost, 127.0.0.1 or [::1]";
    ctx.addIssue({ code: "custom", message, input: value });
  })
  .openapi({ example: REDIRECT, maxLength: MAX_LENGTH });
const redirectUris = z
  .array(redirect)
  .min(1)
  .max(MAX_REDIRECTS)
  .transform((all) => [...new Set(all)])
  .openapi({
    type: "array",
    items: { type: "string", maxLength: MAX_LENGTH },
    minItems: 1,
    maxItems: MAX_REDIRECTS,
    example: [REDIRECT],
  });

export const CreateOAuthClientBody = z
  .strictObject({
    name: name.describe("The name under which people see the app."),
    redirectUris: redirectUris.describe(
      "The addresses at which the app gets its codes: https, or http at localhost, 127.0.0.1 or [::1], where the port is free.",
    ),
    confidential: z
      .boolean()
      .default(false)
      .describe("Whether the app has a secret, which only a server can keep. Then all addresses are https."),
  })
  .superRefine(({ confidential, redirectUris: all }, ctx) => {
    if (confidential !== true || !Array.isArray(all)) return;
    for (const index of plainRedirects(all))
      ctx.addIssue({
        code: "custom",
        path: ["redirectUris", index],
        message: NEEDS_HTTPS,
        input: all[index],
      });
  }, checkEvenIfFieldsFail)
  .openapi("CreateOAuthClientBody");
export const UpdateOAuthClientBody = z
  .strictObject({
    name: name.optional().describe("The new name."),
    redirectUris: redirectUris.optional().describe("All addresses from now on."),
    enabled: z
      .boolean()
      .optional()
      .describe("Whether people can connect the app, and its tokens work. Disabling ends nothing."),
  })
  .openapi("UpdateOAuthClientBody");

export const RotateClientSecretBody = z
  .strictObject({
    overlapSeconds: overlapSeconds.describe("How long the previous secret works too, in seconds."),
  })
  .openapi("RotateClientSecretBody");
