import { defineError } from "#kit";

export const invalidCredentials = defineError(401, "INVALID_CREDENTIALS", "Wrong email or password");

/** The error for an invalid refresh token. `headers` clear the cookie, if the response must do so. */
export const invalidRefreshToken = defineError(
  401,
  "INVALID_REFRESH_TOKEN",
  "The session has ended; sign in again",
  (headers: Record<string, string> = {}) => ({ headers }),
);

export const platformAdminNoSwitch = defineError(
  403,
  "PLATFORM_ADMIN_NO_SWITCH",
  "Platform administrators cannot switch to an organization",
);

export const notAMember = defineError(403, "NOT_A_MEMBER", "Not a member of this organization");

export const organizationSuspended = defineError(
  403,
  "ORGANIZATION_SUSPENDED",
  "The organization is suspended",
);

export const emailNotVerified = defineError(
  403,
  "EMAIL_NOT_VERIFIED",
  "The email address has not been verified yet",
);
