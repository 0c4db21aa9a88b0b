import { browser } from "./dom.ts";

/** Remembers that somebody is signed in: only this fact, beside the cookie that no script can see. */
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
