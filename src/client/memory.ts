import { browser } from "./dom.ts";

/** Stores that a user is signed in: only this fact. The cookie is invisible to scripts. */
export type Memory = {
  /** Null where nothing can be remembered. */
  readonly get: () => boolean | null;
  readonly set: (isSignedIn: boolean) => void;
};

/** What all tabs of a browser remember of the session with this API; outside of browsers it is not known. */
export function browserMemory(baseUrl: string): Memory {
  const key = `session:${baseUrl}`;
  return {
    get() {
      // Storage may be forbidden: then even its name throws.
      try {
        const { localStorage } = browser;
        return localStorage === undefined ? null : localStorage.getItem(key) !== null;
      } catch {
        return null;
      }
    },
    set(isSignedIn) {
      try {
        if (isSignedIn) browser.localStorage?.setItem(key, "signed-in");
        else browser.localStorage?.removeItem(key);
      } catch {
        // The next page asks.
      }
    },
  };
}

/** The service's state cookie of a third-party sign-in lives as long (rules 8.2). */
const SIGN_IN_MS = 600_000;

/** Remembers in this tab that it began a third-party sign-in, while the browser is at the provider. */
export function pendingSignIn(baseUrl: string, wall: () => number) {
  const key = `sign-in:${baseUrl}`;
  return {
    begin() {
      try {
        browser.sessionStorage?.setItem(key, `${wall()}`);
      } catch {
        // Storage is blocked: the callback's cookie still starts the session, by a refresh.
      }
    },
    /** Whether this tab began a sign-in that may still return; true only once. */
    take(): boolean {
      try {
        const beganAt = browser.sessionStorage?.getItem(key) ?? null;
        browser.sessionStorage?.removeItem(key);
        return beganAt !== null && wall() - Number(beganAt) < SIGN_IN_MS;
      } catch {
        return false;
      }
    },
  };
}
