/** Why somebody whom the provider of a connection has recognized does not come in (rules 44.3). */
export type Refusal =
  | "ORGANIZATION_SUSPENDED"
  | "DOMAIN_MISMATCH"
  | "ACCOUNT_NOT_ALLOWED"
  | "EMAIL_NOT_VERIFIED"
  | "EMAIL_UNAVAILABLE"
  | "IDENTITY_IN_USE"
  | "NOT_A_MEMBER"
  | "PLAN_LIMIT_REACHED";

/** A sign-in that was refused, with what its organization is told. */
export type Refused = {
  refused: Refusal | "SSO_DISABLED" | "TOO_MANY_REQUESTS";
  isEmailMissing?: boolean;
};

export const isRefused = <Outcome extends object>(outcome: Outcome | Refused): outcome is Refused =>
  "refused" in outcome;
