import { z } from "@hono/zod-openapi";
import { singleLine } from "../../core/api/fields.ts";
import { enteredPassword } from "../sessions/schemas.ts";

export const ExportProfileBody = z
  .strictObject({ password: enteredPassword.optional(), code: singleLine({ min: 1, max: 64 }).optional() })
  .openapi("ExportProfileBody");
