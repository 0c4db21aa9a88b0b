import { browser } from "./dom.ts";

/** Stores that a user is signed in: only this fact. The cookie is invisible to scripts. */
export type Memory = {
  /** Returns whether a user is signed in; null if nothing can be stored. */
  readonly get: () => boolean | null;
  readonly set: (isSignedIn: boolean) => void;
};

/** Stores in localStorage whether a user is signed in to this API, for all tabs; null outside of browsers. */
export function browserMemory(baseUrl: string): Memory {
  const key = `session:${baseUrl}`;
  return {
    get() {
      // If storage is forbidden, even reading the property `localStorage` throws.
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
        // If storage is blocked, the next page requests a session to find out.
      }
    },
  };
}

/** As long as the service's state cookie of a third-party sign-in lives (rules 8.2). */
const SIGN_IN_MS = 600_000;

/** Remembers in this tab that it began a third-party sign-in, while the browser is at the provider. */
export function pendingSignIn(baseUrl: string, wall: () => number) {
  const key = `sign-in:${baseUrl}`;
  return {
    begin() {
      try {
        browser.sessionStorage?.setItem(key, `${wall()}`);
      } catch {
        // If storage is blocked, the cookie that the callback sets still starts the session, by a refresh.
      }
    },
    /** Returns whether this tab began a sign-in that may still return from the provider; true only once. */
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
