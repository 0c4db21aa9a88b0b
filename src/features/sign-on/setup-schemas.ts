import { z } from "@hono/zod-openapi";
import { email, language, listQuery, pageOf, pathId, textExample, timestamp, uuid } from "#kit";
import { SETUP_PARTS } from "../../core/access/access.ts";
import { creator } from "./connection-schemas.ts";

const part = z.enum(SETUP_PARTS).openapi({ example: "connection" });

export const SetupLink = z
  .object({
    id: uuid.describe("The id of the link."),
    email: textExample("it@example.com").describe("The address to which the link was mailed."),
    what: z.array(part).describe("What the link lets set up."),
    status: z
      .enum(["OPEN", "FINISHED", "REVOKED", "EXPIRED"])
      .describe("`OPEN`: it works. Links work for seven days, and while their creator is a member."),
    createdBy: creator.nullable().describe("Who created the link; null for a deleted account."),
    createdAt: timestamp.describe("When the link was created."),
    expiresAt: timestamp.describe("When the link expires."),
    finishedAt: timestamp.nullable().describe("When the bearer finished; null before."),
  })
  .openapi("SetupLink");
export const SetupLinkPage = pageOf(SetupLink).openapi("SetupLinkPage");
export const SetupLinkQuery = listQuery({ sorts: ["createdAt"], defaultOrder: "desc" }, {});
export const SetupLinkPath = z.strictObject({ id: pathId("setup link") });

export const CreateSetupLinkBody = z
  .strictObject({
    email: email.describe("The address of the person who configures the provider or DNS."),
    what: z
      .array(part)
      .min(1)
      .max(SETUP_PARTS.length)
      .transform((parts) => SETUP_PARTS.filter((one) => parts.includes(one)))
      .openapi({
        type: "array",
        items: { type: "string", enum: [...SETUP_PARTS] },
        minItems: 1,
        maxItems: SETUP_PARTS.length,
      })
      .describe("What the link lets set up."),
    language: language.optional().describe("The language of the mail; the one of the caller by default."),
  })
  .openapi("CreateSetupLinkBody");

export const SignOnSetup = z
  .object({
    organization: z
      .object({ name: textExample("Acme").describe("The name of the organization.") })
      .describe("The organization."),
    email: textExample("it@example.com").describe("The address to which the link was mailed."),
    what: z.array(part).describe("What the link lets set up."),
    expiresAt: timestamp.describe("When the link expires."),
    domainLabel: textExample("mos-verify").describe("The label of the records that prove domains."),
    redirectUri: textExample(
      "https://api.example.com/api/auth/sso/0190c7a0-0000-7000-8000-000000000001/callback",
    )
      .nullable()
      .describe(
        "The redirect address of the newest draft, to register at the provider; null if there is none.",
      ),
  })
  .openapi("SignOnSetup");
