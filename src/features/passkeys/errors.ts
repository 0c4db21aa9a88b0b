import { defineError } from "../../platform/errors.ts";

/** The error of a sign-in: the same for everything that is wrong with the response. */
export const invalidPasskeyAtSignIn = defineError(
  401,
  "INVALID_PASSKEY",
  "This passkey does not sign in here",
);

export const passkeyExists = defineError(409, "PASSKEY_EXISTS", "An account has this passkey already");
