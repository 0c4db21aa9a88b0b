import type { Refused } from "./refusal.ts";

/** The result of a callback, which the client gets in the URL fragment. */
export type SsoOutcome =
  | { token: string }
  | { challenge: string; methods: string }
  | { tested: string }
  | { reauthenticated: string }
  | {
      error: Refused["refused"] | "ACCESS_DENIED" | "INVALID_STATE" | "PROVIDER_ERROR";
    };
export type SsoResult = { outcome: SsoOutcome; cookies: string[] };

export const failed = (error: Extract<SsoOutcome, { error: string }>["error"]): SsoResult => ({
  outcome: { error },
  cookies: [],
});
