import { z } from "@hono/zod-openapi";
import { pathId, textExample, timestamp, uuid } from "#kit";
import { isAppName } from "../app-name.ts";
import { Creator } from "./schemas.ts";

export const ApprovedApp = z
  .object({
    id: uuid.describe("The id of the entry."),
    app: textExample("claude.ai").describe("The host of apps, or the client id of one."),
    addedBy: Creator.nullable().describe("The user who approved it, also after that user was deleted."),
    createdAt: timestamp.describe("When it was approved."),
  })
  .openapi("ApprovedApp");
export const ApprovedApps = z
  .object({
    data: z.array(ApprovedApp).describe("What the organization approved, by name."),
    operator: z
      .array(textExample("chatgpt.com"))
      .describe("What the operator of the service approved for every organization."),
  })
  .openapi("ApprovedApps");
export const ApprovedAppPath = z.strictObject({ id: pathId("approved app") });

export const NO_APP = "must be a host or a client id";
export const ApprovedAppBody = z
  .strictObject({
    app: z
      .string()
      .superRefine((value, ctx) => {
        if (!isAppName(value)) ctx.addIssue({ code: "custom", message: NO_APP, input: value });
      })
      .openapi({ maxLength: 2_048, example: "claude.ai" })
      .describe(
        "A host, without its subdomains, or the whole client id of one app. No address, no port, and no domain under which anybody can publish.",
      ),
  })
  .openapi("ApprovedAppBody");
