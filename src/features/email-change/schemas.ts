import { z } from "@hono/zod-openapi";
import { email, textExample, timestamp } from "#kit";
import { linkToken } from "../../core/accounts/user.ts";

export const EmailState = z
  .object({
    email: textExample("ada@example.com").describe("The email of the account."),
    pending: z
      .object({
        email: textExample("ada@example.org").describe("The new email."),
        oldConfirmed: z.boolean().describe("Whether the present address confirmed the change."),
        newConfirmed: z.boolean().describe("Whether the new address confirmed the change."),
        expiresAt: timestamp.describe("When the links expire."),
      })
      .nullable()
      .describe("The change that waits for confirmations; null if there is none."),
    undoUntil: timestamp
      .nullable()
      .describe("Until when the former address can undo the last change; null if it cannot."),
  })
  .openapi("EmailState");

export const ChangeEmailBody = z
  .strictObject({ email: email.describe("The new email; confirm it by the mailed link.") })
  .openapi("ChangeEmailBody");

export const RequestedEmail = z
  .object({
    email: textExample("ada@example.org").describe("The new email."),
    expiresAt: timestamp.describe("When the links expire."),
  })
  .openapi("RequestedEmail");

export const EmailLinkBody = z
  .strictObject({ token: linkToken.describe("The token of the mailed link.") })
  .openapi("EmailLinkBody");

export const ConfirmedEmail = z
  .object({
    waitingFor: z
      .enum(["old", "new"])
      .nullable()
      .describe("The address that must still confirm; null if the change is complete."),
  })
  .openapi("ConfirmedEmail");
