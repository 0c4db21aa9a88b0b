import { browser } from "./dom.ts";
import type { Call } from "./settle.ts";
import type { Schemas } from "./types.ts";

type Options = {
  /** Closes the browser's dialog; the method rejects with its reason. */
  readonly signal?: AbortSignal;
};

/**
 * Passkeys. The code of the browser's dialogs is loaded by the first call. Methods that show a dialog reject like requests, and
 * with an Error of the browser: `NotAllowedError` if the user canceled or took too long, `InvalidStateError` if the
 * authenticator already has a passkey of the account, `AbortError` if another dialog replaced this one.
 */
export type Passkeys = {
  /** Returns whether the browser supports passkeys. Throws nothing. */
  readonly supported: () => boolean;

  /**
   * Signs in without email and password. With `conditional` the browser offers passkeys in the autofill list of an
   * `<input autocomplete="username webauthn">`: call it when the page is shown. It stays pending until the user chooses one,
   * renews its challenge, and is aborted by any other dialog.
   * @throws ApiError `INVALID_PASSKEY`, `UNAUTHENTICATED` for a challenge that has expired, `TOO_MANY_REQUESTS` …;
   * ConnectionError; an Error of the browser, also if it has no conditional UI
   */
  readonly signIn: (
    options?: Options & { readonly conditional?: boolean },
  ) => Call<"POST /api/auth/passkey/verify", void>;

  /**
   * Completes a sign-in with a passkey as its second factor, if `methods` of the outcome has `passkey`.
   * @throws ApiError `INVALID_PASSKEY`, `UNAUTHENTICATED` for a challenge that has ended …; ConnectionError; an Error of the
   * browser
   */
  readonly verifyTwoFactor: (
    options: Options & { readonly challengeToken: string },
  ) => Call<"POST /api/auth/2fa/verify", void>;

  /**
   * Adds a passkey of this device, a phone or a security key to the account. The recovery codes are null unless the passkey
   * turned on a required second factor; then call `client.refresh()`.
   * @throws ApiError `REAUTHENTICATION_REQUIRED`, `PASSKEY_EXISTS`, `CONFLICT` for the 21st …; ConnectionError; an Error of the
   * browser
   */
  readonly register: (options?: Options & { readonly name?: string }) => Call<"POST /api/profile/passkeys">;

  /**
   * Re-authenticates the user with a passkey. Afterwards, a request that was rejected with
   * `REAUTHENTICATION_REQUIRED` succeeds.
   * @throws ApiError `INVALID_PASSKEY` …; ConnectionError; an Error of the browser
   */
  readonly reauthenticate: (options?: Options) => Call<"POST /api/profile/reauthenticate", void>;

  /**
   * Returns a proof for the property `passkey` of a body, such as that of `POST /api/profile/2fa/disable`.
   * @throws ApiError, ConnectionError; an Error of the browser
   */
  readonly prove: (
    options?: Options,
  ) => Call<"POST /api/profile/reauthenticate/options", Schemas["PasskeyProof"]>;

  /**
   * Returns the passkeys of the account, oldest first.
   * @throws ApiError, ConnectionError
   */
  readonly list: () => Call<"GET /api/profile/passkeys">;

  /**
   * Renames a passkey.
   * @throws ApiError `REAUTHENTICATION_REQUIRED`, `NOT_FOUND` …; ConnectionError
   */
  readonly rename: (id: string, name: string) => Call<"PATCH /api/profile/passkeys/{id}">;

  /**
   * Removes a passkey, and tells the password manager of this browser to forget it.
   * @throws ApiError `REAUTHENTICATION_REQUIRED`, `CONFLICT` for the last way to sign in …; ConnectionError
   */
  readonly remove: (id: string) => Call<"DELETE /api/profile/passkeys/{id}">;

  /**
   * Sends the account's email, name and remaining passkeys to the browser's password manager, if it supports that. Call it after
   * a change of email or name; `register` and `remove` call it. Does nothing without a recent proof. Throws nothing.
   */
  readonly announce: () => Promise<void>;
};

type Lazy = Omit<Passkeys, "supported">;
type Method = (...values: unknown[]) => Promise<unknown>;

/** Creates the methods without the code of the ceremonies, which is loaded by the first call. */
export function lazyPasskeys(load: () => Promise<Lazy>): Passkeys {
  const method =
    (name: keyof Lazy): Method =>
    async (...values) =>
      ((await load())[name] as Method)(...values);
  const names = "signIn verifyTwoFactor register reauthenticate prove list rename remove announce";
  const methods = Object.fromEntries(
    (names.split(" ") as (keyof Lazy)[]).map((name) => [name, method(name)]),
  );
  return {
    ...(methods as unknown as Lazy),
    supported: () => browser.PublicKeyCredential !== undefined,
  };
}
