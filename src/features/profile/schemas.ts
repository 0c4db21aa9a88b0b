import { z } from "@hono/zod-openapi";
import { language, singleLine } from "../../core/api/fields.ts";
import { newPassword } from "../../core/people/passwords.ts";
import { enteredPassword } from "../sessions/schemas.ts";

const name = singleLine({ min: 1, max: 100 });
export const ProfileBody = z
  .strictObject({ firstName: name.optional(), lastName: name.optional(), language: language.optional() })
  .openapi("ProfileBody");

export const ChangePasswordBody = z
  .strictObject({ currentPassword: enteredPassword, newPassword })
  .openapi("ChangePasswordBody");

const proof = z.strictObject({
  password: enteredPassword.optional(),
  code: singleLine({ min: 1, max: 64 }).optional(),
});
export const DeleteAccountBody = proof.openapi("DeleteAccountBody");
export const ReauthenticateBody = proof.openapi("ReauthenticateBody");
