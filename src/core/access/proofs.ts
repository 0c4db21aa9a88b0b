/** A proof of identity of a user, at sign-in or re-authentication (rules 33.1). */
export type Proof = {
  kind: "password" | "provider" | "passkey";
  factors: 1 | 2;
  /** The authentication methods of the proof, with the names of RFC 8176. */
  amr: string[];
};

/** The claims of an access token that summarize the proofs of its session. */
export type SessionProof = {
  /** The time at which the user last proved their identity, in seconds since 1970. */
  auth_time: number;
  /** The authentication methods of all proofs (RFC 8176). */
  amr: string[];
  /** `2` if one of the proofs had two factors, otherwise `1`. */
  acr: "1" | "2";
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

/**
 * Returns the claims of a session that started with this proof. The database's function `session_proof` returns the
 * claims of all its later proofs.
 */
export const sessionProofOf = ({ factors, amr }: Proof, provedAt: Date): SessionProof => ({
  auth_time: Math.floor(provedAt.getTime() / 1000),
  amr,
  acr: factors === 2 ? "2" : "1",
});
