import { z } from "@hono/zod-openapi";
import { language, line, shown, timestamp, uuid } from "../../core/api/fields.ts";
import { newPassword } from "../accounts/schemas.ts";
import { enteredPassword } from "../sessions/schemas.ts";

export const User = z
  .object({
    id: uuid,
    email: shown("ada@example.com"),
    firstName: shown("Ada"),
    lastName: shown("Lovelace"),
    language,
    emailVerifiedAt: timestamp.nullable(),
    isPlatformAdmin: z.boolean(),
    twoFactorEnabled: z.boolean(),
    createdAt: timestamp,
  })
  .openapi("User");

const name = line({ min: 1, max: 100 });
export const ProfileBody = z
  .strictObject({ firstName: name.optional(), lastName: name.optional(), language: language.optional() })
  .openapi("ProfileBody");

export const ChangePasswordBody = z
  .strictObject({ currentPassword: enteredPassword, newPassword })
  .openapi("ChangePasswordBody");

export const DeleteAccountBody = z
  .strictObject({
    password: enteredPassword.optional(),
    code: line({ min: 1, max: 64 }).optional(),
  })
  .openapi("DeleteAccountBody");
