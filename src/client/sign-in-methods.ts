import type { Passkeys } from "./passkeys.ts";
import type { Call } from "./settle.ts";
import type { Schemas } from "./types.ts";

/** The outcome of a sign-in: a session, or a challenge for the second factor that is valid for 5 minutes. */
export type SignInOutcome =
  | { readonly status: "signed-in" }
  | {
      readonly status: "two-factor";
      readonly challengeToken: string;
      /** The kinds of second factor that the account can use. */
      readonly methods: readonly SecondFactorMethod[];
    };

/** A kind of second factor: `passkey` is for `client.passkeys.verifyTwoFactor`. */
export type SecondFactorMethod = Schemas["TwoFactorChallenge"]["methods"][number];

/** The outcome of third-party sign-in. */
export type CallbackOutcome =
  | SignInOutcome
  /** With `reauthenticated`, `provider` is the key of a provider, or `connection:<id>`. */
  | { readonly status: "linked" | "reauthenticated"; readonly provider: string }
  | { readonly status: "tested"; readonly testId: string }
  | { readonly status: "error"; readonly code: CallbackError };

/** The reasons why third-party sign-in failed (rules 8.3). */
export type CallbackError =
  | "ACCESS_DENIED"
  | "INVALID_STATE"
  | "EMAIL_NOT_VERIFIED"
  | "ACCOUNT_EXISTS"
  | "EMAIL_UNAVAILABLE"
  | "REGISTRATION_CLOSED"
  | "IDENTITY_IN_USE"
  | "SSO_DISABLED"
  | "DOMAIN_MISMATCH"
  | "ACCOUNT_NOT_ALLOWED"
  | "NOT_A_MEMBER"
  | "PLAN_LIMIT_REACHED"
  | "ORGANIZATION_SUSPENDED"
  | "PROVIDER_ERROR"
  | "TOO_MANY_REQUESTS";

/** A second factor: a code of the authenticator app, or a recovery code. */
export type SecondFactor = { readonly challengeToken: string } & (
  | { readonly code: string }
  | { readonly recoveryCode: string }
);

/** The methods of a client that start, switch and end sessions. */
export type SignInMethods = {
  /**
   * Signs in by password. With two-factor authentication the outcome is a challenge for `verifyTwoFactor`, or for
   * `passkeys.verifyTwoFactor` if its `methods` have `passkey`.
   * @throws ApiError `INVALID_CREDENTIALS`, `EMAIL_NOT_VERIFIED`, `TOO_MANY_REQUESTS` …; ConnectionError
   */
  readonly signIn: (credentials: Schemas["LoginBody"]) => Call<"POST /api/auth/login", SignInOutcome>;

  /**
   * Completes a sign-in by its second factor.
   * @throws ApiError `INVALID_TWO_FACTOR_CODE`, `UNAUTHENTICATED` for a challenge that has ended, `TOO_MANY_REQUESTS` …;
   * ConnectionError
   */
  readonly verifyTwoFactor: (factor: SecondFactor) => Call<"POST /api/auth/2fa/verify", void>;

  /** Passkeys (WebAuthn): sign in, verify the second factor, re-authenticate, and add, rename or remove passkeys. */
  readonly passkeys: Passkeys;

  /**
   * Starts third-party sign-in with a key of `GET /api/auth/providers`: leaves the page for the provider, and remembers in
   * `sessionStorage` that this tab did. Throws nothing.
   */
  readonly signInWithProvider: (provider: string) => void;

  /** Single sign-on by the connections of organizations. */
  readonly sso: {
    /**
     * Returns the connection by which people with an address like this sign in, or null; whether there is such an account makes no
     * difference.
     * @throws ApiError `TOO_MANY_REQUESTS` …; ConnectionError
     */
    readonly discover: (email: string) => Call<"POST /api/auth/sso/discover">;
    /**
     * Starts a sign-in by a connection: leaves the page for the provider, and remembers in `sessionStorage` that this tab did. Throws
     * nothing.
     */
    readonly begin: (connectionId: string, options?: { readonly loginHint?: string }) => void;
    /** Opens the `url` of a test of a connection. The test ends at `/auth/callback` with the outcome `tested`. Throws nothing. */
    readonly beginTest: (url: string) => void;
    /**
     * Returns the address at which the connection proves the user's identity again; open it in a window of this browser. It ends at
     * `/auth/callback` with `reauthenticated` and `connection:<id>`.
     * @throws ApiError `NOT_FOUND` …; ConnectionError
     */
    readonly reauthenticate: (
      connectionId: string,
    ) => Call<"POST /api/auth/sso/{connectionId}/reauthenticate">;
  };

  /**
   * Reads the result of third-party sign-in on the page at `/auth/callback`, and removes it from the URL's
   * fragment. Returns null if there is no result. Also returns null for a token or a challenge if this tab did not
   * call `signInWithProvider` or `sso.begin` in the last 10 minutes: otherwise a link could sign the user in to somebody else's
   * account.
   * @throws SyntaxError for a token that is malformed
   */
  readonly completeSignIn: () => CallbackOutcome | null;

  /**
   * Switches the session to another of the caller's organizations, in every tab.
   * @throws ApiError `NOT_A_MEMBER`, `ORGANIZATION_SUSPENDED`, `PLATFORM_ADMIN_NO_SWITCH`, `INVALID_REFRESH_TOKEN` …;
   * ConnectionError
   */
  readonly switchOrganization: (organizationId: string) => Call<"POST /api/auth/organization", void>;

  /**
   * Logs out, in every tab. If the API cannot be reached, the session continues.
   * @throws ApiError, ConnectionError
   */
  readonly signOut: () => Call<"POST /api/auth/logout", void>;
};
