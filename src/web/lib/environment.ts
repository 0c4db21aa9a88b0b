const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";

/** The path below which the console is served, without a trailing slash; empty at the root of the host. */
export const basePath = meta("base-path");

/** The base URL of the API; empty for the origin of the page. */
export const apiUrl = meta("api-url");

/** The origin from which the bot check is loaded; empty without one. */
export const botCheckOrigin = meta("bot-check");

/** What the console needs of the manifest of a product, as JSON; empty without a product. */
export const productJson = meta("product");

/** A storage of the browser. If the browser blocks it, nothing is stored and nothing is found; no feature depends on it. */
function storage(open: () => Storage) {
  function attempt<T>(use: (storage: Storage) => T): T | null {
    try {
      return use(open());
    } catch {
      return null;
    }
  }
  return {
    /** Reads a value; null if it is missing. */
    read: (key: string) => attempt((values) => values.getItem(key)),
    save: (key: string, value: string) => void attempt((values) => values.setItem(key, value)),
    remove: (key: string) => void attempt((values) => values.removeItem(key)),
    keys: (prefix: string) =>
      attempt((values) => Object.keys(values).filter((key) => key.startsWith(prefix))) ?? [],
  };
}

/** Values that all tabs share, and that stay. */
export const browserStorage = storage(() => localStorage);

export const tabStorage = storage(() => sessionStorage);
