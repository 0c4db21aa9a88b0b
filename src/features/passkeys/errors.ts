import { defineError } from "#kit";

/** The error for every failed sign-in with a passkey, whatever is wrong with the authenticator's response. */
export const invalidPasskeyAtSignIn = defineError(
  401,
  "INVALID_PASSKEY",
  "This passkey does not sign in here",
);

export const passkeyExists = defineError(409, "PASSKEY_EXISTS", "An account has this passkey already");
