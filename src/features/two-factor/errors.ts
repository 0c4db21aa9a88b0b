import { defineError } from "../../platform/errors.ts";

/** For a sign-in that waits for its second factor. */
export const challengeExpired = defineError(401, "UNAUTHENTICATED", "The sign-in has expired; sign in again");

export const wrongSignInCode = defineError(401, "INVALID_TWO_FACTOR_CODE", "Wrong code");

export const twoFactorAlreadyEnabled = defineError(
  409,
  "TWO_FACTOR_ALREADY_ENABLED",
  "Two-factor authentication is already enabled",
);
