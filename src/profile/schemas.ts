import { z } from "@hono/zod-openapi";
import { language, timestamp, uuid } from "../http/fields.ts";

export const User = z
  .object({
    id: uuid,
    email: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    language,
    emailVerifiedAt: timestamp.nullable(),
    isPlatformAdmin: z.boolean(),
    twoFactorEnabled: z.boolean(),
    createdAt: timestamp,
  })
  .openapi("User");
