import { browser } from "./dom.ts";

/** Stores only the fact that a user is signed in, because scripts cannot see the cookie. */
export type Memory = {
  /** Returns whether a user is signed in; null if nothing can be stored. */
  readonly get: () => boolean | null;
  readonly set: (isSignedIn: boolean) => void;
};

/**
 * A value of the browser's storage. Undefined if there is no storage, or if it is forbidden, when even reading the
 * property throws.
 */
const stored = (storage: "localStorage" | "sessionStorage", key: string) => ({
  get() {
    try {
      return browser[storage]?.getItem(key);
    } catch {
      return undefined;
    }
  },
  set(value: string | null) {
    try {
      if (value === null) browser[storage]?.removeItem(key);
      else browser[storage]?.setItem(key, value);
    } catch {
      // Nothing is stored. The next page then requests a session to learn whether a user is signed in; after
      // third-party sign-in, a refresh finds the session.
    }
  },
});

/**
 * Returns a store in localStorage that records for all tabs whether a user is signed in to this API. Returns null
 * outside of browsers.
 */
export function browserMemory(baseUrl: string): Memory {
  const { get, set } = stored("localStorage", `session:${baseUrl}`);
  return {
    get() {
      const value = get();
      return value === undefined ? null : value !== null;
    },
    set: (isSignedIn) => set(isSignedIn ? "signed-in" : null),
  };
}

/**
 * How long a started third-party sign-in is remembered: as long as the service's state cookie is valid (rules 8.2).
 */
const SIGN_IN_MS = 600_000;

/** Remembers in this tab that it started a third-party sign-in, while the browser is at the provider. */
export function pendingSignIn(baseUrl: string, wall: () => number) {
  const { get, set } = stored("sessionStorage", `sign-in:${baseUrl}`);
  return {
    begin: () => set(`${wall()}`),
    /** Returns whether this tab started a third-party sign-in that has not returned yet. Returns true only once. */
    take(): boolean {
      const beganAt = get();
      set(null);
      return wall() - Number(beganAt ?? 0) < SIGN_IN_MS;
    },
  };
}
