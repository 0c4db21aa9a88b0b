import type { UserActor } from "./access.ts";
import type { AccessTokenConfig } from "./config.ts";

/** A proof of identity of a user, at sign-in or re-authentication (rules 33.1). */
export type Proof = {
  kind: "password" | "provider" | "passkey";
  factors: 1 | 2;
  /** The authentication methods of the proof, with the names of RFC 8176. */
  amr: string[];
};

/** A proof by a connection of an organization. It counts in that organization alone (rules 38). */
export type SsoProof = {
  kind: "sso";
  /** 2 if the account's second factor was shown as well, or if the organization trusts that of the provider. */
  factors: 1 | 2;
  amr: [] | ["mfa"];
  connectionId: string;
  organizationId: string;
};

/** The claims of an access token that summarize the proofs of its session that count in its organization. */
export type SessionProof = {
  /** The time at which the user last proved their identity, in seconds since 1970; absent if no proof counts here. */
  auth_time?: number;
  /** The authentication methods of these proofs (RFC 8176). */
  amr: string[];
  /** `2` if one of these proofs had two factors, otherwise `1`. */
  acr: "1" | "2";
  /** Present if the session was only proven by connections: it acts nowhere else, and not for the account. */
  confined?: true;
};

/** The second factor of a proof of identity: a code of the authenticator app, a recovery code, or a passkey, with its RFC 8176 names. */
export type SecondFactor = { kind: "app" } | { kind: "recovery" } | { kind: "passkey"; amr: string[] };

/**
 * Creates the proof for a password or a sign-in provider, with a second factor if there was one. The methods that a
 * provider used are unknown.
 */
export function proofOf(kind: "password" | "provider", second: SecondFactor | null = null): Proof {
  const first = kind === "password" ? ["pwd"] : [];
  if (second === null) return { kind, factors: 1, amr: first };
  const shown = { app: ["otp"], recovery: [], passkey: second.kind === "passkey" ? second.amr : [] };
  return { kind, factors: 2, amr: [...new Set([...first, ...shown[second.kind], "mfa"])] };
}

/** Returns the claims for what the database says of a session's proofs (`session_in_organization`). */
export const sessionProofOf = ({
  claims,
  isConfined,
}: {
  claims: unknown;
  isConfined: boolean;
}): SessionProof => ({
  ...{ acr: "1", amr: [] },
  ...(claims as Partial<SessionProof>),
  ...(isConfined && { confined: true }),
});

/** The proofs of a session as refresh_tokens.proof and the function `session_proof` say them. */
type Proofs = { proof: unknown };

/** Whether a session has a proof of the account's own; otherwise it is confined to the organizations that it is proven for. */
export const hasOwnProof = ({ proof }: Proofs): boolean => "auth_time" in (proof as object);

/** Whether a session was ever proven by a connection of this organization. */
export const isProvenFor = ({ proof }: Proofs, organizationId: string): boolean =>
  organizationId in ((proof as { sso?: object }).sso ?? {});

/** No organization has this id. */
const NOWHERE = "00000000-0000-0000-0000-000000000000";

/**
 * Returns the organization to which a session is confined that was only proven by connections (rules 38): of its account it sees
 * only what belongs there. Null if the session is not confined; an id that no organization has if it acts in none.
 */
export const confinedTo = ({ claims }: Pick<UserActor, "claims">): string | null =>
  claims.confined ? (claims.organization?.id ?? NOWHERE) : null;

/** Whether an account must have a second factor (rules 7.9). */
export const isTwoFactorRequired = (
  { requireTwoFactor }: Pick<AccessTokenConfig, "requireTwoFactor">,
  { isPlatformAdmin }: { isPlatformAdmin: boolean },
): boolean => requireTwoFactor === "all" || (requireTwoFactor === "platform-admins" && isPlatformAdmin);
