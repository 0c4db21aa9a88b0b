import { defineError } from "#kit";

/** The error for a sign-in whose challenge for the second factor is invalid or has expired. */
export const challengeExpired = defineError(401, "UNAUTHENTICATED", "The sign-in has expired; sign in again");

export const wrongSignInCode = defineError(401, "INVALID_TWO_FACTOR_CODE", "Wrong code");

export const wrongSignInPasskey = defineError(401, "INVALID_PASSKEY", "This passkey does not sign in here");

export const twoFactorAlreadyEnabled = defineError(
  409,
  "TWO_FACTOR_ALREADY_ENABLED",
  "Two-factor authentication is already enabled",
);
