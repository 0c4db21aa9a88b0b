import { z } from "@hono/zod-openapi";
import { isCommon } from "../../platform/passwords/common.ts";
import { MAX_PASSWORD_UNITS, normalized } from "../../platform/passwords/hasher.ts";
import { rawText } from "../api/fields.ts";

const LENGTH = { min: 10, max: 200 };

/** A new password: any Unicode, counted in its NFC form. */
export const newPassword = z
  .string()
  .superRefine((value, ctx) => {
    // Aborts the later checks: normalizing a long run of combining marks takes seconds.
    if (value.length > MAX_PASSWORD_UNITS)
      ctx.addIssue({ code: "too_big", origin: "string", maximum: LENGTH.max, input: value });
  })
  .transform(normalized)
  .pipe(rawText(LENGTH))
  .superRefine((value, ctx) => {
    if (isCommon(value))
      ctx.addIssue({ code: "custom", message: "must not be a common password", input: value });
  })
  .openapi({ type: "string", format: "password", minLength: LENGTH.min, maxLength: LENGTH.max });

/** Whether a password is the account's own email, which an attacker would try first. */
export const isOwnEmail = (password: string, ownEmail: string) =>
  password.trim().toLowerCase() === ownEmail.toLowerCase();

export const NOT_THE_EMAIL = "must not be the email address";
