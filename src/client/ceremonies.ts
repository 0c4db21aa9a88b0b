import { startAuthentication, startRegistration, WebAuthnAbortService } from "@simplewebauthn/browser";
import { browser } from "./dom.ts";
import type { Environment } from "./environment.ts";
import { read } from "./http.ts";
import type { Passkeys } from "./passkeys.ts";
import type { Requests } from "./requests.ts";
import type { Endpoint, Schemas } from "./types.ts";

/*
 * The ceremonies of WebAuthn: a module of its own, loaded on demand with the library. In the package it shares no code with
 * `index`, so it must not use the classes of errors.
 */

/** A challenge expires after 5 minutes. */
const RENEWAL_MS = 240_000;
const TIMEOUT_MS = 30_000;

type Options = { readonly signal?: AbortSignal };
type Begun = { readonly options: Schemas["PasskeyRequestOptions"] };

/**
 * The number of dialogs that were opened. If it changes while the request for the autofill list is prepared, that
 * request is not started, because it would replace the dialog.
 */
let dialogs = 0;

/**
 * Creates the methods for passkeys.
 * @param startSession sends the request that completes a sign-in, and sets the token of the response
 */
export function createPasskeys(
  environment: Environment,
  requests: Requests,
  startSession: (endpoint: Endpoint, body: unknown) => Promise<void>,
): Omit<Passkeys, "supported"> {
  const { once, request, authorized } = requests;

  /** Runs a ceremony that the signal can abort. */
  async function abortable<T>(signal: AbortSignal | undefined, ceremony: () => Promise<T>): Promise<T> {
    const abort = () => WebAuthnAbortService.cancelCeremony();
    if (signal?.aborted) throw signal.reason;
    signal?.addEventListener("abort", abort);
    try {
      return await ceremony();
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Calls back when a challenge is about to expire, but not while the page is hidden. */
  function whenStale(renew: () => void): () => void {
    let forget = () => {};
    const check = () => {
      if (environment.isVisible()) renew();
    };
    const cancel = environment.after(RENEWAL_MS, () => {
      forget = environment.onPageChange(check);
      check();
    });
    return () => {
      cancel();
      forget();
    };
  }

  async function assertion<T extends Begun>(begin: () => Promise<T>, { signal }: Options) {
    dialogs += 1;
    WebAuthnAbortService.cancelCeremony();
    const begun = await begin();
    const response = await abortable(signal, () =>
      startAuthentication({ optionsJSON: begun.options as never }),
    );
    return { begun, response: response as Schemas["PasskeyAssertion"] };
  }

  async function conditionalAssertion<T extends Begun>(begin: () => Promise<T>, { signal }: Options) {
    const before = dialogs;
    for (;;) {
      const begun = await begin();
      if (dialogs !== before) throw new DOMException("Another dialog was opened", "AbortError");
      let isStale = false;
      const forget = whenStale(() => {
        isStale = true;
        WebAuthnAbortService.cancelCeremony();
      });
      try {
        const response = await abortable(signal, () =>
          startAuthentication({ optionsJSON: begun.options as never, useBrowserAutofill: true }),
        );
        return { begun, response: response as Schemas["PasskeyAssertion"] };
      } catch (error) {
        if (!isStale || signal?.aborted) throw error;
      } finally {
        forget();
      }
    }
  }

  /** Sends a public request, without the session's token. */
  const publicly = <T>(endpoint: Endpoint, body: unknown, { signal }: Options): Promise<T> =>
    once(endpoint, { body, signal }, null, read as () => Promise<T>, { timeoutMs: TIMEOUT_MS });

  async function prove(options: Options = {}) {
    const begin = () => request("POST /api/profile/reauthenticate/options", options);
    const { begun, response } = await assertion(begin, options);
    return { challengeToken: begun.challengeToken, response };
  }

  async function announce(): Promise<void> {
    const { signalAllAcceptedCredentials, signalCurrentUserDetails } = browser.PublicKeyCredential ?? {};
    if (!signalAllAcceptedCredentials || !signalCurrentUserDetails) return;
    try {
      // `request` is not used, because after a rejection it would open the dialog for a proof of identity.
      const response = await authorized((token) =>
        once("POST /api/profile/passkeys/options", {}, token, read, { timeoutMs: TIMEOUT_MS }),
      );
      const { rp, user, excludeCredentials } = (response as Schemas["PasskeyRegistrationOptions"]).options;
      const account = { rpId: rp.id, userId: user.id };
      const allAcceptedCredentialIds = excludeCredentials.map(({ id }) => id);
      const { PublicKeyCredential } = browser;
      await PublicKeyCredential?.signalAllAcceptedCredentials?.({ ...account, allAcceptedCredentialIds });
      const { name, displayName } = user;
      await PublicKeyCredential?.signalCurrentUserDetails?.({ ...account, name, displayName });
    } catch {
      // Errors are ignored: the password manager then shows an old name, or offers a passkey that the service
      // rejects.
    }
  }

  return {
    async signIn({ conditional = false, ...options } = {}) {
      const begin = () =>
        publicly<Schemas["PasskeySignInOptions"]>("POST /api/auth/passkey/options", undefined, options);
      const { begun, response } = await (conditional ? conditionalAssertion : assertion)(begin, options);
      const { challengeToken } = begun;
      await startSession("POST /api/auth/passkey/verify", { challengeToken, response });
    },

    async verifyTwoFactor({ challengeToken, ...options }) {
      const begin = () => publicly<Begun>("POST /api/auth/2fa/passkey/options", { challengeToken }, options);
      const { response } = await assertion(begin, options);
      await startSession("POST /api/auth/2fa/verify", { challengeToken, passkey: { response } });
    },

    async register({ name, ...options } = {}) {
      dialogs += 1;
      const begun = await request("POST /api/profile/passkeys/options", options);
      const made = await abortable(options.signal, () =>
        startRegistration({ optionsJSON: begun.options as never }),
      );
      const response = made as Schemas["PasskeyAttestation"];
      const body = { challengeToken: begun.challengeToken, response, ...(name && { name }) };
      const added = await request("POST /api/profile/passkeys", { body });
      void announce();
      return added;
    },

    prove,

    async reauthenticate(options) {
      await request("POST /api/profile/reauthenticate", { body: { passkey: await prove(options) } });
    },

    list: () => request("GET /api/profile/passkeys"),

    rename: (id, name) => request("PATCH /api/profile/passkeys/{id}", { path: { id }, body: { name } }),

    async remove(id) {
      await request("DELETE /api/profile/passkeys/{id}", { path: { id } });
      void announce();
    },

    announce,
  };
}
