import type { App } from "./context.ts";

/**
 * One value for each instance of the service, created when it is first needed; several instances share a process in
 * tests. An instance is recognized by its hasher, which copies of its `App` share, such as those of one request.
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
