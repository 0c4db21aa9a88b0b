import type { App } from "./context.ts";

/**
 * Creates one value per instance of the service, when it is first needed; in tests several instances share a process.
 * An instance is recognized by its hasher, which copies of its `App` share, such as the copy for a request.
 */
export function perApp<Value extends object>(create: (app: App) => Value): (app: App) => Value {
  const values = new WeakMap<App["hasher"], Value>();
  return (app) => {
    const existing = values.get(app.hasher);
    if (existing !== undefined) return existing;
    const value = create(app);
    values.set(app.hasher, value);
    return value;
  };
}
