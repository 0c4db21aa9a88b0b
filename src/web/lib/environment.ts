const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";

/** The path below which the console is served, without a trailing slash; empty at the root of the host. */
export const basePath = meta("base-path");

/** The base URL of the API; empty for the origin of the page. */
export const apiUrl = meta("api-url");

/** Reads a value from localStorage; null if it is missing, or if the browser blocks storage. */
export function readFromBrowser(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a value in localStorage. Does nothing if the browser blocks storage. */
export function saveInBrowser(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The browser blocks storage, for example in a private window. No feature depends on it.
  }
}

/** Reads a value from sessionStorage; null if it is missing, or if the browser blocks storage. */
export function readFromTab(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a value in sessionStorage. Does nothing if the browser blocks storage. */
export function saveInTab(key: string, value: string): void {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // If the browser blocks storage, nothing is stored. No feature depends on it.
  }
}

/** Removes the values from sessionStorage whose keys begin with this text. */
export function removeAllFromTab(prefix: string): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // If storage is blocked, nothing is removed; no feature depends on it.
  }
}

/** Removes a value from sessionStorage. */
export function removeFromTab(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // If the browser blocks storage, nothing is removed. No feature depends on it.
  }
}
