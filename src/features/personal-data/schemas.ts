import { z } from "@hono/zod-openapi";
import { proofFields } from "../two-factor/schemas.ts";

export const ExportProfileBody = z.strictObject(proofFields).openapi("ExportProfileBody");
