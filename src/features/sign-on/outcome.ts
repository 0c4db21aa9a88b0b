import { type CallbackResult, type SignedIn, withoutSession } from "../identities/redirect.ts";

/** Why somebody whom the provider of a connection has recognized does not come in (rules 44.3). */
export const REFUSALS = [
  "ORGANIZATION_SUSPENDED",
  "DOMAIN_MISMATCH",
  "ACCOUNT_NOT_ALLOWED",
  "EMAIL_NOT_VERIFIED",
  "EMAIL_UNAVAILABLE",
  "IDENTITY_IN_USE",
  "NOT_A_MEMBER",
  "PLAN_LIMIT_REACHED",
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** A sign-in that was refused, with what its organization is told. */
export type Refused = {
  refused: Refusal | "SSO_DISABLED" | "TOO_MANY_REQUESTS";
  isEmailMissing?: boolean;
};

export const isRefused = <Outcome extends object>(outcome: Outcome | Refused): outcome is Refused =>
  "refused" in outcome;

/** The result of a callback, which the client gets in the URL fragment. */
export type SsoOutcome =
  | SignedIn
  | { tested: string }
  | { reauthenticated: string }
  | { error: Refused["refused"] | "ACCESS_DENIED" | "INVALID_STATE" | "PROVIDER_ERROR" };
export type SsoResult = CallbackResult<SsoOutcome>;

export const failed = (error: Extract<SsoOutcome, { error: string }>["error"]): SsoResult =>
  withoutSession({ error });
