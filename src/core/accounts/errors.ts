import { defineError } from "../../platform/errors.ts";

export const invalidOrExpiredToken = defineError(
  400,
  "INVALID_OR_EXPIRED_TOKEN",
  "The link is invalid or has expired",
);

/** The error for a wrong password in the profile. It is no 401, which would mean that the session has ended. */
export const wrongPassword = defineError(400, "INVALID_CREDENTIALS", "Wrong password");

export const wrongCode = defineError(400, "INVALID_TWO_FACTOR_CODE", "Wrong code");

/** The error for a rejected passkey in the profile, whatever is wrong with the challenge or the response. */
export const invalidPasskey = defineError(400, "INVALID_PASSKEY", "The passkey was not accepted; try again");

/** The error for a person who may not create an account here (rules 32.1). */
export const registrationClosed = defineError(403, "REGISTRATION_CLOSED", "Registration is closed");

export const emailTaken = defineError(409, "EMAIL_TAKEN", "An account with this email already exists");

export const emailUnavailable = defineError(
  409,
  "EMAIL_UNAVAILABLE",
  "This email belonged to an account and cannot be used",
);

export const lastAdmin = defineError(409, "LAST_ADMIN", "At least one administrator must remain");

export const twoFactorNotEnabled = defineError(
  409,
  "TWO_FACTOR_NOT_ENABLED",
  "Two-factor authentication is not enabled",
);
