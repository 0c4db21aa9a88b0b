import { z } from "@hono/zod-openapi";
import { singleLine } from "../../core/definitions/fields.ts";
import { enteredPassword } from "../sessions/schemas.ts";

export const ExportProfileBody = z
  .strictObject({
    password: enteredPassword.optional().describe("Required if the account has a password."),
    code: singleLine({ min: 1, max: 64 })
      .optional()
      .describe("Required if two-factor authentication is on: a code from the app, or a recovery code."),
  })
  .openapi("ExportProfileBody");
