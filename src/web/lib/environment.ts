const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";

/** The path that the console is served below, without a slash at its end: empty at the root of its host. */
export const basePath = meta("base-path");

/** What the paths of the API are appended to: empty for the origin of the page. */
export const apiUrl = meta("api-url");

/** The stylesheet that arrives with the shell. */
export const authenticatedStyles = meta("inside-styles");

/** What this browser remembers, or null; storage may be forbidden. */
export function readFromBrowser(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Remembers a value in this browser, if it allows that. */
export function saveInBrowser(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Private windows may forbid it; nothing depends on it.
  }
}

/** What this tab remembers, or null. */
export function readFromTab(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Remembers a value in this tab, if the browser allows that. */
export function saveInTab(key: string, value: string): void {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // As above.
  }
}

/** Forgets what this tab remembers. */
export function removeFromTab(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // As above.
  }
}
