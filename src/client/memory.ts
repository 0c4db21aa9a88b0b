import { browser } from "./dom.ts";

/** Stores that a user is signed in: only this fact. The cookie is invisible to scripts. */
export type Memory = {
  /** Returns whether a user is signed in; null if nothing can be stored. */
  readonly get: () => boolean | null;
  readonly set: (isSignedIn: boolean) => void;
};

/** A value of the browser's storage; undefined where there is none, or where it is forbidden: even reading the property throws. */
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
      // The next page then requests a session to find out; after third-party sign-in a refresh does it.
    }
  },
});

/** Stores in localStorage whether a user is signed in to this API, for all tabs; null outside of browsers. */
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

/** As long as the service's state cookie of a third-party sign-in lives (rules 8.2). */
const SIGN_IN_MS = 600_000;

/** Remembers in this tab that it began a third-party sign-in, while the browser is at the provider. */
export function pendingSignIn(baseUrl: string, wall: () => number) {
  const { get, set } = stored("sessionStorage", `sign-in:${baseUrl}`);
  return {
    begin: () => set(`${wall()}`),
    /** Returns whether this tab began a sign-in that may still return from the provider; true only once. */
    take(): boolean {
      const beganAt = get();
      set(null);
      return wall() - Number(beganAt ?? 0) < SIGN_IN_MS;
    },
  };
}
